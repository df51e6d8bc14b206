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

/**
 * Asks `thresher serve` with [endpoint] extract = on for the text of a page.
 *
 * <p>Configuration of the topology:
 *
 * <pre>
 * thresher.extract: "http://127.0.0.1:9464/extract"   # the default
 * thresher.accept: "text/markdown"                    # or application/json; the default is text/plain
 * </pre>
 */
final class ThresherClient {
    private static final int TRIES = 5; // of an overloaded daemon

    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String extract;
    private final String accept;

    ThresherClient(Map<String, Object> conf) {
        extract = String.valueOf(conf.getOrDefault("thresher.extract", "http://127.0.0.1:9464/extract"));
        accept = String.valueOf(conf.getOrDefault("thresher.accept", "text/plain"));
    }

    /**
     * Returns the text of a page, "" if thresher refuses the page.
     *
     * @param type the media type and charset of the page; null if its bytes decide
     * @throws IllegalStateException if the daemon does not answer, or answers with an error
     */
    String text(String url, String type, byte[] page) {
        String query = url.startsWith("http") ? "?url=" + URLEncoder.encode(url, StandardCharsets.UTF_8) : "";
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(extract + query))
                        .timeout(Duration.ofSeconds(60))
                        .header("Accept", accept)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(page));
        if (type != null) {
            request.header("Content-Type", type);
        }
        try {
            for (int i = 0; ; i++) {
                HttpResponse<String> answer =
                        client.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
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
