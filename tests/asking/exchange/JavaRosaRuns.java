import java.io.File;
import java.util.Map;
import java.util.TreeMap;
import org.javarosa.model.xform.XFormSerializingVisitor;
import org.javarosa.test.Scenario;

/** Fills in a form with the library that ODK Collect is made of: FORM RUNS [PATH VALUE]... prints each kind of submission and its number. */
public class JavaRosaRuns {
  public static void main(String[] args) throws Exception {
    Map<String, Integer> counts = new TreeMap<>();
    for (int run = 0; run < Integer.parseInt(args[1]); run++) {
      Scenario form = Scenario.init(new File(args[0]));
      for (int i = 2; i < args.length; i += 2) form.answer(args[i], args[i + 1]);
      byte[] submitted = new XFormSerializingVisitor().serializeInstance(form.getFormDef().getMainInstance());
      counts.merge(new String(submitted).replaceAll("(?s)^.*?<rr_explanation />|<meta>.*", ""), 1, Integer::sum);
    }
    counts.forEach((submission, number) -> System.out.println(number + "\t" + submission));
  }
}
