// Writes the JSON lines of stdin to a topic, with or without transactions, and then a line
// of counts. A line is a record or the mark of a transaction (README.md, "The format"):
//
//   {"key": BASE64|null, "value": BASE64|null, "headers": [[NAME, BASE64|null], ...],
//    "partition": N, "timestamp": MS}      all optional; key_text, value_text: UTF-8
//
//   {"transaction": "begin"|"commit"|"abort"}
//
// A transaction that is open at the end of stdin stays open. Its records are flushed,
// and the broker aborts it after transaction.timeout.ms.
//
// usage: Writer BOOTSTRAP TOPIC [NAME=VALUE of a producer option]... <RECORDS

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public final class Writer {
    private final KafkaProducer<byte[], byte[]> producer;
    private final String topic;
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private long sent;
    private long committed;
    private long aborted;
    private boolean inTransaction;
    private long open; // records of the current transaction

    private Writer(KafkaProducer<byte[], byte[]> producer, String topic) {
        this.producer = producer;
        this.topic = topic;
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 2) {
            System.err.println("usage: Writer BOOTSTRAP TOPIC [NAME=VALUE]... <RECORDS");
            System.exit(64);
        }
        Properties p = new Properties();
        p.put("bootstrap.servers", args[0]);
        p.put("acks", "all");
        p.put("enable.idempotence", "true");
        p.put("linger.ms", "5");
        p.put("max.request.size", "16777216");
        for (int i = 2; i < args.length; i++) {
            int equals = args[i].indexOf('=');
            if (equals < 1)
                throw new IllegalArgumentException("not NAME=VALUE: " + args[i]);
            p.put(args[i].substring(0, equals), args[i].substring(equals + 1));
        }
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(p, new ByteArraySerializer(), new ByteArraySerializer());
        if (p.containsKey("transactional.id"))
            producer.initTransactions();
        Writer writer = new Writer(producer, args[1]);
        writer.all();
        // close() would abort an open transaction, so the process just ends.
        if (!writer.inTransaction)
            producer.close();
        System.out.printf("{\"sent\": %d, \"committed\": %d, \"aborted\": %d, \"open\": %d}%n",
                          writer.sent, writer.committed, writer.aborted, writer.open);
        System.exit(0);
    }

    private void all() throws Exception {
        try (MappingIterator<JsonNode> lines =
                 mapper().readerFor(JsonNode.class).readValues(System.in)) {
            while (lines.hasNext()) {
                JsonNode line = lines.next();
                if (line.has("transaction"))
                    mark(line.get("transaction").asText());
                else
                    send(line);
            }
        }
        flush();
    }

    private void mark(String what) throws Exception {
        switch (what) {
        case "begin":
            producer.beginTransaction();
            inTransaction = true;
            return;
        case "commit":
            producer.commitTransaction();
            committed += open;
            break;
        case "abort":
            producer.flush(); // writes the aborted records to the log
            producer.abortTransaction();
            aborted += open;
            break;
        default:
            throw new IllegalArgumentException("transaction: '" + what + "'");
        }
        inTransaction = false;
        open = 0;
    }

    private void send(JsonNode line) throws Exception {
        Integer partition = line.hasNonNull("partition") ? line.get("partition").intValue() : null;
        Long timestamp = line.hasNonNull("timestamp") ? line.get("timestamp").longValue() : null;
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
            topic, partition, timestamp, field(line, "key"), field(line, "value"));
        for (JsonNode h : line.path("headers"))
            record.headers().add(h.get(0).asText(),
                                 h.get(1).isNull() ? null : h.get(1).binaryValue());
        producer.send(record, (where, e) -> {
            if (e != null)
                failure.compareAndSet(null, e);
        });
        sent++;
        if (inTransaction)
            open++;
        if (failure.get() != null)
            flush();
    }

    private void flush() throws Exception {
        producer.flush();
        if (failure.get() != null)
            throw failure.get();
    }

    // Jackson's own limit, 20 MB of base64, is 15 MB of a value.
    private static ObjectMapper mapper() {
        return new ObjectMapper(JsonFactory.builder().streamReadConstraints(
            StreamReadConstraints.builder().maxStringLength(1 << 28).build()).build());
    }

    private static byte[] field(JsonNode line, String name) throws IOException {
        if (line.hasNonNull(name + "_text"))
            return line.get(name + "_text").asText().getBytes(StandardCharsets.UTF_8);
        return line.hasNonNull(name) ? line.get(name).binaryValue() : null;
    }
}
