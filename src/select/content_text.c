/* Main content as readable text: the paragraphs that the select stage kept. */
#include "page/page_text.h"
#include "select/classifiers.h"

th_view th_page_content_text(th_page *page)
{
    return th_page_print(page, page->paragraph_label_of, NULL, NULL);
}
