/* Calls fastText. No C++ exception or type leaves this file. */
#include "language/fasttext.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <istream>
#include <memory>
#include <new>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

#include <fasttext/fasttext.h>
#include <unicode/uloc.h>

extern "C" {
#include "language/fasttext_file.h"
}

const bool th_fasttext_is_built = true;

namespace
{

/* The name of a label's language, and its ISO 639-3 code. */
struct label {
    std::string name, iso;
};

/* Reads from a FILE, so the library reads the file that was checked, independent of its
 * name. */
class file_bytes : public std::streambuf
{
  public:
    explicit file_bytes(std::FILE *file) : file_(file)
    {
    }

  protected:
    int_type underflow() override
    {
        const std::size_t got = std::fread(room_, 1, sizeof room_, file_);
        setg(room_, room_, room_ + got);
        return got ? traits_type::to_int_type(*room_) : traits_type::eof();
    }

  private:
    std::FILE *file_;
    char room_[1 << 16];
};

/* Opens a stream like the library opens a file: magic and version before the rest. */
class classifier : public fasttext::FastText
{
  public:
    void load(std::istream &stream)
    {
        if (!checkModel(stream))
            throw std::invalid_argument("it is no model of fastText");
        loadModel(stream);
    }
};

/* A text read in place as one line. */
class text_bytes : public std::streambuf
{
  public:
    explicit text_bytes(std::string &text)
    {
        setg(&text[0], &text[0], &text[0] + text.size());
    }
};

/* Splits "__label__deu_Latn" into "deu_Latn", "deu". */
label label_of(const std::string &word)
{
    static const std::string prefix = "__label__";
    label result;
    result.name =
        word.compare(0, prefix.size(), prefix) == 0 ? word.substr(prefix.size()) : word;
    const std::string language = result.name.substr(0, result.name.find_first_of("_-"));
    result.iso = uloc_getISO3Language(language.c_str());
    if (result.iso.empty() && language.size() == 3 &&
        language.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos)
        result.iso = language; /* ICU does not know it */
    return result;
}

} // namespace

struct th_fasttext {
    classifier model;
    std::vector<label> labels; /* by the dictionary's number */
    uint64_t checksum;
};

static void load(th_fasttext *model, std::FILE *file)
{
    file_bytes bytes(file);
    std::istream stream(&bytes);
    model->model.load(stream);
    const auto dictionary = model->model.getDictionary();
    for (int32_t i = 0; i < dictionary->nlabels(); i++)
        model->labels.push_back(label_of(dictionary->getLabel(i)));
}

static th_status read_model(const char *path, std::FILE *file, th_fasttext **out,
                            th_error *err)
{
    th_error why;
    uint64_t checksum = 0;
    why.text[0] = '\0';
    const th_status status = th_fasttext_file_check(file, &checksum, &why);
    if (status != TH_OK)
        return th_fail(err, status, "model '%s': %s", path, why.text);
    if (std::fseek(file, 0, SEEK_SET) != 0)
        return th_fail(err, TH_IO, "model '%s': %s", path, std::strerror(errno));
    try {
        std::unique_ptr<th_fasttext> model(new th_fasttext());
        load(model.get(), file);
        model->checksum = checksum;
        *out = model.release();
        return TH_OK;
    } catch (const std::bad_alloc &) {
        return th_fail(err, TH_NOMEM, "model '%s': out of memory", path);
    } catch (const std::exception &fault) {
        return th_fail(err, TH_USAGE, "model '%s': %s", path, fault.what());
    }
}

th_status th_fasttext_load(const char *path, th_fasttext **out, th_error *err)
{
    std::FILE *file = std::fopen(path, "rbe");
    if (!file)
        return th_fail(err, TH_IO, "cannot open model '%s': %s", path,
                       std::strerror(errno));
    const th_status status = read_model(path, file, out, err);
    (void)std::fclose(file);
    return status;
}

void th_fasttext_free(th_fasttext *model)
{
    delete model;
}

uint64_t th_fasttext_checksum(const th_fasttext *model)
{
    return model->checksum;
}

th_status th_fasttext_detect(const th_fasttext *model, th_view text,
                             th_second_language *out)
{
    *out = th_second_language();
    try {
        std::string line(text.data, text.len);
        for (char &c : line)
            if (c == '\n' || c == '\0')
                c = ' ';
        line.push_back('\n');
        text_bytes bytes(line);
        std::istream stream(&bytes);
        std::vector<int32_t> words, labels;
        fasttext::Predictions found;
        model->model.getDictionary()->getLine(stream, words, labels);
        if (!words.empty())
            model->model.predict(1, words, found, 0);
        if (found.empty())
            return TH_OK;
        const label &said = model->labels[static_cast<std::size_t>(found[0].second)];
        out->name = said.name.c_str();
        out->iso = said.iso.c_str();
        out->score = std::exp(found[0].first);
        out->model = model->checksum;
    } catch (const std::bad_alloc &) {
        return TH_NOMEM;
    } catch (const std::exception &) { /* weights without a numeric result */
        return TH_OK;
    }
    return TH_OK;
}
