# cmake -D IN=file -D OUT=file.c -D NAME=symbol -D HEADER=h -P embed.cmake: the file as a C string
# that HEADER declares.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
       "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include \"${HEADER}\"\n\nconst char ${NAME}[] = {\n${bytes}0};\n")
