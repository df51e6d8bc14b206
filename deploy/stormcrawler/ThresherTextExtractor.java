package thresher;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.apache.stormcrawler.parse.TextExtractor;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;

/**
 * The text of a page by `thresher serve` with [endpoint] extract = on.
 *
 * <p>Configuration of the topology:
 *
 * <pre>
 * textextractor.class: "thresher.ThresherTextExtractor"
 * thresher.extract: "http://127.0.0.1:9464/extract"   # the default
 * thresher.accept: "text/markdown"                    # or application/json; the default is text/plain
 * </pre>
 *
 * A page that thresher refuses has no text. If the daemon does not answer, the bolt gets an exception, and the page
 * its error status.
 */
public class ThresherTextExtractor implements TextExtractor {
    private static final int TRIES = 5; // of an overloaded daemon

    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String extract;
    private final String accept;

    public ThresherTextExtractor(Map<String, Object> conf) {
        extract = String.valueOf(conf.getOrDefault("thresher.extract", "http://127.0.0.1:9464/extract"));
        accept = String.valueOf(conf.getOrDefault("thresher.accept", "text/plain"));
    }

    @Override
    public String text(Object element) {
        if (!(element instanceof Element)) {
            return "";
        }
        Document page = ((Element) element).ownerDocument();
        String url = page.location();
        String query = url.startsWith("http") ? "?url=" + URLEncoder.encode(url, StandardCharsets.UTF_8) : "";
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(extract + query))
                        .timeout(Duration.ofSeconds(60))
                        .header("Content-Type", "text/html; charset=utf-8")
                        .header("Accept", accept)
                        .POST(HttpRequest.BodyPublishers.ofString(page.outerHtml(), StandardCharsets.UTF_8))
                        .build();
        try {
            for (int i = 0; ; i++) {
                HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
                if (answer.statusCode() == 200) {
                    return answer.body().strip();
                }
                if (answer.statusCode() == 413 || answer.statusCode() == 415 || answer.statusCode() == 422) {
                    return "";
                }
                if (answer.statusCode() != 503 || i + 1 == TRIES) {
                    throw new IllegalStateException(extract + ": " + answer.statusCode() + " " + answer.body().strip());
                }
                Thread.sleep(1000 * answer.headers().firstValueAsLong("Retry-After").orElse(1));
            }
        } catch (IOException e) {
            throw new IllegalStateException(extract + ": " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
