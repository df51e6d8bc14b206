import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.stormcrawler.parse.TextExtractor;
import org.jsoup.nodes.Document;
import org.jsoup.parser.Parser;

/** Prints the text of a page by a TextExtractor of StormCrawler, constructed as JSoupParserBolt does: CLASS EXTRACT ACCEPT URL FILE */
public class Extractors {
    public static void main(String[] args) throws Exception {
        Map<String, Object> conf = Map.of("textextractor.class", args[0], "thresher.extract", args[1], "thresher.accept", args[2]);
        TextExtractor extractor = (TextExtractor) Class.forName((String) conf.get("textextractor.class"))
                .getDeclaredConstructor(Map.class).newInstance(conf);
        Document page = Parser.htmlParser().parseInput(Files.readString(Path.of(args[4])), args[3]);
        System.out.write(extractor.text(page.body()).getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }
}
