/* The table of sites: found by id, and refused when any bit of it is wrong. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sites/sites.h"

struct table { /* a small one, as ftcc writes it */
    struct ft_sites_header header;
    struct ft_site_entry site[2];
    struct ft_pattern_entry pattern[1];
    struct ft_hook_entry hook[1];
    char text[32];
};

static void seal(struct table *table)
{
    table->header.checksum = XXH64(&table->header + 1, sizeof *table - sizeof table->header, 0);
}

static void fill(struct table *table)
{
    *table = (struct table){
        .header = {FT_SITES_MAGIC, FT_SITES_VERSION, 2, 1, 1, sizeof table->text, 0, 0},
        .site = {{7, 9, FT_SITE_CHANNEL_DETERMINISTIC, FT_SITE_ANONYMOUS, 1, 5, 10, 33},
                 {0x80000001u, 0, FT_SITE_UNKNOWN, FT_SITE_LOGGED, 1, 5, 10, 44}},
        .pattern = {{9, FT_PATTERN_TRUSTED, 1, 5, 30, 0}},
        .hook = {{3, 1, 1, 5, 20, 0}},
        .text = "\0a.c\0main\0MPI_Iprobe"};
    seal(table);
}

static void finds_by_id(void **state)
{
    struct ft_sites *sites;
    struct table table;
    uint32_t count;

    (void)state;
    fill(&table);
    assert_int_equal(ft_sites_parse(&table, sizeof table, &sites), 0);
    assert_int_equal(ft_sites_find(sites, 7)->line, 33);
    assert_int_equal(ft_sites_find(sites, 0x80000001u)->line, 44);
    assert_null(ft_sites_find(sites, 8));
    assert_int_equal(ft_sites_pattern(sites, 9)->flags, FT_PATTERN_TRUSTED);
    assert_null(ft_sites_pattern(sites, 7));
    assert_true(ft_sites_hook(sites, 3)->chosen);
    assert_string_equal(ft_sites_text(sites, ft_sites_find(sites, 7)->call), "MPI_Iprobe");
    assert_string_equal(ft_sites_text(sites, 4711), "");
    assert_int_equal(ft_sites_all(sites, &count)->id, 7);
    assert_int_equal(count, 2);
    ft_sites_destroy(sites);
    assert_null(ft_sites_find(NULL, 7));
}

static int trusted_with(void (*change)(struct table *))
{
    struct ft_sites *sites;
    struct table table;
    int trusted;

    fill(&table);
    strcpy(table.text + 10, "MPI_Irecv");
    change(&table);
    seal(&table);
    assert_int_equal(ft_sites_parse(&table, sizeof table, &sites), 0);
    trusted = ft_sites_trusted(sites, 9);
    assert_false(ft_sites_trusted(sites, 0));
    ft_sites_destroy(sites);
    return trusted;
}

static void change_nothing(struct table *table)
{
    (void)table;
}

static void change_call(struct table *table)
{
    strcpy(table->text + 10, "MPI_Probe");
}

static void change_class(struct table *table)
{
    table->site[0].class = FT_SITE_NON_DETERMINISTIC;
}

static void change_flags(struct table *table)
{
    table->site[0].flags |= FT_SITE_LOGGED;
}

static void change_capture(struct table *table)
{
    table->pattern[0].flags |= FT_PATTERN_CAPTURE;
}

static void change_pattern(struct table *table)
{
    table->pattern[0].flags = 0;
}

static void change_other_site(struct table *table)
{
    table->site[1].pattern = 9;
}

/* One site that is not is enough. */
static void trusts_patterns(void **state)
{
    (void)state;
    assert_true(trusted_with(change_nothing));
    assert_false(trusted_with(change_call));
    assert_false(trusted_with(change_class));
    assert_false(trusted_with(change_flags));
    assert_false(trusted_with(change_capture));
    assert_false(trusted_with(change_pattern));
    assert_false(trusted_with(change_other_site));
    assert_false(ft_sites_trusted(NULL, 9));
}

/* Sealed again after the change: the checks behind the checksum have to find these. */
static void refuses_nonsense(void **state)
{
    struct ft_sites *sites;
    struct table table;

    (void)state;
#define REFUSED(change)                                                                            \
    fill(&table);                                                                                  \
    change;                                                                                        \
    seal(&table);                                                                                  \
    assert_int_equal(ft_sites_parse(&table, sizeof table, &sites), -EBADMSG);                      \
    assert_null(sites)
    REFUSED(table.header.magic[0] = 'x');
    REFUSED(table.header.version = 2);
    REFUSED(table.header.sites = 1);
    REFUSED(table.header.sites = 0xffffffffu);
    REFUSED(table.header.text = 31);
    REFUSED(table.site[1].id = 7);
    REFUSED(table.site[0].class = 5);
    REFUSED(table.site[0].file = 32);
    REFUSED(table.site[1].function = 0xffffffffu);
    REFUSED(table.site[1].call = 32);
    REFUSED(table.pattern[0].file = 32);
    REFUSED(table.hook[0].function = 32);
    REFUSED(table.text[31] = 'x');
#undef REFUSED
}

static void refuses_every_flipped_bit(void **state)
{
    struct ft_sites *sites;
    struct table table;

    (void)state;
    for (size_t bit = 0; bit < 8 * sizeof table; bit++) {
        if (bit / 8 >= offsetof(struct ft_sites_header, reserved) &&
            bit / 8 < offsetof(struct ft_sites_header, checksum))
            continue;
        fill(&table);
        ((char *)&table)[bit / 8] ^= (char)(1 << bit % 8);
        assert_int_equal(ft_sites_parse(&table, sizeof table, &sites), -EBADMSG);
    }
    fill(&table);
    for (size_t length = 0; length < sizeof table; length++)
        assert_int_equal(ft_sites_parse(&table, length, &sites), -EBADMSG);
}

/* A file with the section, cut off everywhere, damaged everywhere. */
struct file {
    Elf64_Ehdr elf;
    struct table table;
    char names[16];
    Elf64_Shdr section[3];
};

static void build(struct file *file)
{
    *file = (struct file){.names = "\0" FT_SITES_SECTION};
    memcpy(file->elf.e_ident, ELFMAG, SELFMAG);
    file->elf.e_ident[EI_CLASS] = ELFCLASS64;
    file->elf.e_ident[EI_DATA] = ELFDATA2LSB;
    file->elf.e_shentsize = sizeof(Elf64_Shdr);
    file->elf.e_shnum = 3;
    file->elf.e_shstrndx = 2;
    file->elf.e_shoff = offsetof(struct file, section);
    file->section[1] = (Elf64_Shdr){.sh_name = 1,
                                    .sh_type = SHT_PROGBITS,
                                    .sh_offset = offsetof(struct file, table),
                                    .sh_size = sizeof(struct table)};
    file->section[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
                                    .sh_offset = offsetof(struct file, names),
                                    .sh_size = sizeof file->names};
    fill(&file->table);
}

static int read_file(const struct file *file, size_t length, struct ft_sites **sites)
{
    char path[] = "/tmp/sites_test.XXXXXX";
    int fd = mkstemp(path), code;

    assert_int_equal(write(fd, file, length), length);
    close(fd);
    code = ft_sites_read(path, sites);
    unlink(path);
    return code;
}

static void reads_the_section(void **state)
{
    struct ft_sites *sites;
    struct file file;

    (void)state;
    build(&file);
    assert_int_equal(read_file(&file, sizeof file, &sites), 0);
    assert_int_equal(ft_sites_find(sites, 7)->line, 33);
    ft_sites_destroy(sites);
    file.names[2] = 'x';
    assert_int_equal(read_file(&file, sizeof file, &sites), -ENOENT);
    assert_int_equal(ft_sites_read("/nonexistent", &sites), -ENOENT);
}

static void survives_damaged_files(void **state)
{
    struct ft_sites *sites;
    struct file file;

    (void)state;
    build(&file);
    for (size_t length = 0; length < sizeof file; length++)
        assert_int_not_equal(read_file(&file, length, &sites), 0);
    for (size_t at = 0; at < sizeof file; at++) {
        build(&file);
        ((unsigned char *)&file)[at] ^= 0xff;
        read_file(&file, sizeof file, &sites);
        ft_sites_destroy(sites);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_by_id),       cmocka_unit_test(trusts_patterns),
        cmocka_unit_test(refuses_nonsense),  cmocka_unit_test(refuses_every_flipped_bit),
        cmocka_unit_test(reads_the_section), cmocka_unit_test(survives_damaged_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
