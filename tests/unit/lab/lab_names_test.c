/* src/methods/lab_names.c: exactly the names that thresher-lab has and thresher lacks. */
#include "methods/lab_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "eval/eval.h"
#include "lab/lab.h"
#include "thresher/segmenter.h"

static const char *name_at(const th_program *program, th_lab_part part, size_t i)
{
    if (part == TH_LAB_COMMAND) {
        const th_command *command = th_program_command(program, i);
        return command ? command->name : NULL;
    }
    if (part == TH_LAB_EVAL_KIND)
        return program->eval_kinds[i] ? program->eval_kinds[i]->name : NULL;
    return program->segmenters[i] ? program->segmenters[i]->name : NULL;
}

static bool has(const th_program *program, th_lab_part part, const char *name)
{
    const char *other;
    for (size_t i = 0; (other = name_at(program, part, i)); i++)
        if (strcmp(other, name) == 0)
            return true;
    return false;
}

static void names_are_the_difference_of_the_tables(void **state)
{
    unsigned count = 0;
    (void)state;
    for (th_lab_part part = TH_LAB_COMMAND; part <= TH_LAB_SEGMENTER; part++) {
        const char *name;
        for (size_t i = 0; (name = name_at(&th_lab_program, part, i)); i++) {
            const bool is_of_lab = !has(&th_thresher_program, part, name);
            assert_int_equal(th_is_of_lab(part, (th_view){ name, strlen(name) }),
                             is_of_lab);
            count += is_of_lab;
        }
    }
    assert_int_equal(count, TH_LAB_NAMES);
    assert_false(th_is_of_lab(TH_LAB_SEGMENTER, TH_VIEW("gcut")));
    assert_false(th_is_of_lab(TH_LAB_SEGMENTER, TH_VIEW("train")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_the_difference_of_the_tables),
    };
    return cmocka_run_group_tests_name("lab_names", tests, NULL, NULL);
}
