/* Every function of the runtime's table, which is compared with mpi.h, is known here too,
 * but for the library's own extensions. */
#include "analysis/calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char *const runtime_names[] = {
#define FT_REASON(reason, text)
#define FT_CALL(name, class) #name,
#define FT_REFUSED(name, reason) #name,
#include "pmpi/calls.def"
#undef FT_REASON
#undef FT_CALL
#undef FT_REFUSED
};

static void every_function_is_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof runtime_names / sizeof *runtime_names; i++)
        if (strncmp(runtime_names[i], "MPI_", 4) == 0 && !an_call_find(runtime_names[i]))
            fail_msg("%s is missing in analysis/calls.def", runtime_names[i]);
}

static void names_are_found_in_all_forms(void **state)
{
    (void)state;
    assert_int_equal(an_call_find("MPI_Recv")->source, 3);
    assert_int_equal(an_call_find("PMPI_Recv")->tag, 4);
    assert_int_equal(an_call_find("MPI_Recv_c")->role, AN_RECEIVE);
    assert_int_equal(an_call_find("MPI_Sendrecv")->source, 8);
    assert_int_equal(an_call_find("MPI_Sendrecv_replace")->source, 5);
    assert_null(an_call_find("MPI_Rec"));
    assert_null(an_call_find("Recv"));
    assert_null(an_call_find("MPI_"));
    assert_null(an_call_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_known),
        cmocka_unit_test(names_are_found_in_all_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
