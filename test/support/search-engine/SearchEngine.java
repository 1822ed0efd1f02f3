import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.opensearch.common.settings.Settings;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

/** One node of OpenSearch: `SearchEngine FOLDER` prints its address and ends when its standard input does. */
class SearchEngine extends Node {
  private SearchEngine(Settings settings) {
    super(
        InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "reloop"),
        List.of(Netty4Plugin.class),
        false);
  }

  public static void main(String[] args) throws Exception {
    Settings settings =
        Settings.builder()
            .put("path.home", args[0])
            .put("network.host", "127.0.0.1")
            .put("http.port", "0")
            .put("transport.port", "0")
            .put("discovery.type", "single-node")
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .build();
    try (Node node = new SearchEngine(settings).start()) {
      System.out.println(node.injector().getInstance(HttpServerTransport.class).info().getAddress().publishAddress());
      System.in.transferTo(java.io.OutputStream.nullOutputStream());
    }
  }
}
