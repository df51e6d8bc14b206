/* Numbers of HTML tags. Names that are not in the list are TH_TAG_OTHER. */
#ifndef THRESHER_TAG_H
#define THRESHER_TAG_H

#include <stdint.h>

#include "thresher/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
#define TH_TAG_LIST(X) \
    X(A,"a") X(ABBR,"abbr") X(ACRONYM,"acronym") X(ADDRESS,"address") X(APPLET,"applet") X(AREA,"area") \
    X(ARTICLE,"article") X(ASIDE,"aside") X(AUDIO,"audio") X(B,"b") X(BASE,"base") X(BASEFONT,"basefont") \
    X(BDI,"bdi") X(BDO,"bdo") X(BGSOUND,"bgsound") X(BIG,"big") X(BLINK,"blink") X(BLOCKQUOTE,"blockquote") \
    X(BODY,"body") X(BR,"br") X(BUTTON,"button") X(CANVAS,"canvas") X(CAPTION,"caption") X(CENTER,"center") \
    X(CITE,"cite") X(CODE,"code") X(COL,"col") X(COLGROUP,"colgroup") X(DATA,"data") X(DATALIST,"datalist") \
    X(DD,"dd") X(DEL,"del") X(DESC,"desc") X(DETAILS,"details") X(DFN,"dfn") X(DIALOG,"dialog") X(DIR,"dir") \
    X(DIV,"div") X(DL,"dl") X(DT,"dt") X(EM,"em") X(EMBED,"embed") X(FIELDSET,"fieldset") X(FIGCAPTION,"figcaption") \
    X(FIGURE,"figure") X(FONT,"font") X(FOOTER,"footer") X(FOREIGNOBJECT,"foreignobject") X(FORM,"form") \
    X(FRAME,"frame") X(FRAMESET,"frameset") X(H1,"h1") X(H2,"h2") X(H3,"h3") X(H4,"h4") X(H5,"h5") X(H6,"h6") \
    X(HEAD,"head") X(HEADER,"header") X(HGROUP,"hgroup") X(HR,"hr") X(HTML,"html") X(I,"i") X(IFRAME,"iframe") \
    X(IMAGE,"image") X(IMG,"img") X(INPUT,"input") X(INS,"ins") X(KBD,"kbd") X(KEYGEN,"keygen") X(LABEL,"label") \
    X(LEGEND,"legend") X(LI,"li") X(LINK,"link") X(LISTING,"listing") X(MAIN,"main") X(MAP,"map") X(MARK,"mark") \
    X(MARQUEE,"marquee") X(MATH,"math") X(MENU,"menu") X(MENUITEM,"menuitem") X(META,"meta") X(METER,"meter") \
    X(MI,"mi") X(MN,"mn") X(MO,"mo") X(MS,"ms") X(MTEXT,"mtext") X(NAV,"nav") X(NOBR,"nobr") X(NOEMBED,"noembed") \
    X(NOFRAMES,"noframes") X(NOSCRIPT,"noscript") X(OBJECT,"object") X(OL,"ol") X(OPTGROUP,"optgroup") \
    X(OPTION,"option") X(OUTPUT,"output") X(P,"p") X(PARAM,"param") X(PICTURE,"picture") X(PLAINTEXT,"plaintext") \
    X(PRE,"pre") X(PROGRESS,"progress") X(Q,"q") X(RB,"rb") X(RP,"rp") X(RT,"rt") X(RTC,"rtc") X(RUBY,"ruby") \
    X(S,"s") X(SAMP,"samp") X(SCRIPT,"script") X(SEARCH,"search") X(SECTION,"section") X(SELECT,"select") \
    X(SLOT,"slot") X(SMALL,"small") X(SOURCE,"source") X(SPAN,"span") X(STRIKE,"strike") X(STRONG,"strong") \
    X(STYLE,"style") X(SUB,"sub") X(SUMMARY,"summary") X(SUP,"sup") X(SVG,"svg") X(TABLE,"table") X(TBODY,"tbody") \
    X(TD,"td") X(TEMPLATE,"template") X(TEXTAREA,"textarea") X(TFOOT,"tfoot") X(TH,"th") X(THEAD,"thead") \
    X(TIME,"time") X(TITLE,"title") X(TR,"tr") X(TRACK,"track") X(TT,"tt") X(U,"u") X(UL,"ul") X(VAR,"var") \
    X(VIDEO,"video") X(WBR,"wbr") X(XMP,"xmp")
/* clang-format on */

/* Sorted by name, so a number is also a rank. */
enum {
#define TH_TAG_ENUM(name, text) TH_TAG_##name,
    TH_TAG_LIST(TH_TAG_ENUM)
#undef TH_TAG_ENUM
        TH_TAG_OTHER, /* any name that is not in the list */
    TH_TAG_COUNT
};

/** A tag number, TH_TAG_A .. TH_TAG_OTHER. */
typedef uint16_t th_tag;

/** Returns the number of a tag name, ignoring ASCII case. Allocates nothing,
 * O(length). */
TH_API th_tag th_tag_of(th_view name);

/** Returns the lower-case name of a tag; "*" for TH_TAG_OTHER. */
TH_API const char *th_tag_name(th_tag tag);

#ifdef __cplusplus
}
#endif

#endif
