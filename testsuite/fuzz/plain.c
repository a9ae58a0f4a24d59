/* plain: main of a fuzz target that is built without the fuzzer. Argument: a folder, of which each
 * file is one input. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

/* In as many bytes as there are, so that a sanitizer sees who reads behind them. */
static void input_run(const char *path)
{
    FILE *file = fopen(path, "re");
    struct stat info;

    if (!file || fstat(fileno(file), &info) != 0) {
        perror(path);
        exit(2);
    }
    unsigned char *bytes = malloc((size_t)info.st_size);
    if (fread(bytes, 1, (size_t)info.st_size, file) != (size_t)info.st_size)
        abort();
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, (size_t)info.st_size);
    free(bytes);
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    struct dirent *entry;
    char path[4096];
    int inputs = 0;

    while (folder && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
            puts(path);
            fflush(stdout); /* the last line names what crashes */
            input_run(path);
            inputs++;
        }
    if (folder)
        closedir(folder);
    return inputs == 0;
}
