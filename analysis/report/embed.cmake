# cmake -D IN=file -D OUT=file.c -D NAME=symbol -P embed.cmake: the file as a C string.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
       "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include \"analysis/report/html.h\"\n\nconst char ${NAME}[] = {\n${bytes}0};\n")
