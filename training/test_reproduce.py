"""Tests training/reproduce: examples of the papers, and the same figures from scipy. Exits with 77 without its packages."""
import hashlib
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "reproduce"))
sys.dont_write_bytecode = True
try:
    import numpy as np
    from scipy import optimize, special, stats
    import sklearn  # noqa: F401
    import xxhash  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import boilerplate
import boundaries
import catalog
import cohesion
import cuts
import duplicates
import fits
import laws
import links
import model_text
import segmentation
import svg
import text_model


class Catalog(unittest.TestCase):
    def test_each_row_is_complete(self):
        experiments, data = catalog.read_experiments(), catalog.read_data()
        self.assertEqual(len({e.key for e in experiments}), len(experiments))
        for e in experiments:
            with self.subTest(e.key):
                self.assertIn(e.paper_name, catalog.PAPERS)
                self.assertIn(e.verdict, catalog.VERDICTS)
                self.assertTrue(e.shows and e.paper and e.run)
                self.assertTrue(e.data == "-" or e.data in data)
                self.assertEqual(e.run == "-", e.verdict == "not possible here")
                self.assertTrue(e.run != "-" or e.note)
                if e.columns:
                    self.assertTrue(any(len(v) == len(e.columns.split()) for v in e.values().values()))

    def test_every_number_is_there(self):
        numbers = {(e.paper_name, e.key.split(":")[1]) for e in catalog.read_experiments()}
        for paper, kind, chapter, last in (("K11", "F", "3.", 8), ("K11", "F", "4.", 27), ("K11", "T", "3.", 3), ("K11", "T", "4.", 9), ("K11", "F", "5.", 3), ("KN08", "F", "", 10),
                                           ("KN08", "T", "", 3), ("CKP08", "F", "", 5), ("CKP08", "T", "", 2), ("B14", "F", "", 6), ("B14", "T", "", 5), ("H25", "F", "", 6), ("H25", "T", "", 3)):
            for i in range(1, last + 1):
                self.assertIn((paper, f"{kind}{chapter}{i}"), numbers)

    def test_choice(self):
        rows = catalog.read_experiments()
        self.assertEqual([e.key for e in catalog.chosen(rows, ["K11:4.9"])], ["K11:F4.9", "K11:T4.9"])
        self.assertEqual([e.key for e in catalog.chosen(rows, ["K11:T4.9"])], ["K11:T4.9"])
        self.assertEqual(len(catalog.chosen(rows, ["H25"])), 9)
        self.assertRaises(KeyError, catalog.chosen, rows, ["K11:9.9"])

    def test_values(self):
        row = next(e for e in catalog.read_experiments() if e.key == "K11:T4.1")
        self.assertEqual(row.values()["bf-rulebased"], [.79, .87, 21.24])  # "as KN08:T1"
        self.assertNotEqual(row.values()["gcuts"][2], row.values()["gcuts"][2])


class TextModel(unittest.TestCase):
    def test_density(self):
        """[K11 Eq. 4.6] Two words on one line have a density of 2. Without its last line, a long text has the tokens of full lines."""
        self.assertEqual(text_model.wrapped("Contact us").density, 2)
        lines = text_model.wrapped(" ".join(["abcd"] * 40))  # 16 words of 5 columns fill 79 columns
        self.assertEqual(lines, (40, 3, 8))
        self.assertEqual(lines.density, 16)
        self.assertEqual(text_model.wrapped(" ".join("a" * 81)).density, 40)  # the maximum of the paper: 40 tokens per line
        self.assertEqual(text_model.wrapped("| - !").density, 0)

    def test_slope_delta(self):
        """[K11 Eq. 4.7] Densities 1 and 5 as in the list of dates of the thesis."""
        self.assertEqual(text_model.slope_delta(1, 5), .8)
        self.assertEqual(text_model.slope_delta(0, 0), 0)

    def test_fusion(self):
        """[K11 §4.2.2] Densities 1, 2, 1 and 1, 5, 1: plain fusion keeps them apart, and smoothing does not join a block that is denser."""
        blocks = [text_model.Lines(n, 1, n) for n in (5, 1, 5, 20, 19)]
        self.assertEqual(list(text_model.fuse(blocks, .38))[-1], [[0], [1], [2], [3, 4]])
        self.assertEqual(list(text_model.fuse(blocks, .38, True))[-1], [[0, 1, 2], [3, 4]])
        denser = [text_model.Lines(n, 1, n) for n in (1, 5, 1)]
        self.assertEqual(list(text_model.fuse(denser, .38, True))[-1], [[0], [1], [2]])

    def test_quotients(self):
        """[K11 Eq. 4.9] |10 - 2| / 2 = 4; |2 - 10| / 10 is rounded up to 1; equal neighbors have no class."""
        self.assertEqual(text_model.quotient_classes([10, 2, 2, 10]), [4, 1])


class Fits(unittest.TestCase):
    def test_altmann(self):
        """[K11 Fig. 4.12] The expected frequencies and chi squared that the thesis prints."""
        expected = 2334 * fits.negative_hypergeometric(np.arange(18), 2.30453585151999, .109889153462268, 17)
        for i, value in ((0, 1800.9989), (1, 184.9156), (2, 95.4882), (8, 16.2396), (17, .5779)):
            self.assertAlmostEqual(expected[i], value, delta=6e-5)
        found = fits.chi_squared(laws.ALTMANN, expected, (), 3)
        self.assertAlmostEqual(found.chi2, 14.2394, delta=5e-5)
        self.assertEqual(found.df, 13)
        self.assertAlmostEqual(found.p, .3572, delta=5e-5)
        self.assertAlmostEqual(found.c, .0061, delta=5e-5)
        self.assertLess(fits.fit_negative_hypergeometric(laws.ALTMANN).chi2, found.chi2)

    def test_negative_hypergeometric(self):
        """[K11 Eq. 4.2] The same as the binomial coefficients of the equation."""
        k, m, n = 2.30454, .10989, 17
        for x in range(n + 1):
            literal = special.binom(-m, x) * special.binom(-k + m, n - x) / special.binom(-k, n)
            self.assertAlmostEqual(float(fits.negative_hypergeometric(x, k, m, n)), literal, delta=1e-9)

    def test_curves_equal_scipy(self):
        """curve_fit of scipy finds the same parameters, to 1e-6."""
        noise = np.random.default_rng(1).normal(0, .002, 200)
        xs = np.arange(1, 201.)
        ranks = xs / 201
        for ours, function, start, x, y in (
                (fits.fit_zipf(fits.zipf(xs, 1.04, .749) + noise)[0], fits.zipf, (1, 1), xs, fits.zipf(xs, 1.04, .749) + noise),
                (fits.fit_menzerath(fits.menzerath(xs, .9, -.4, .1) + noise), fits.menzerath, (1, -.3, 0), xs, fits.menzerath(xs, .9, -.4, .1) + noise),
                (fits.fit_lavalette(fits.lavalette(ranks, .1, .39) + noise), fits.lavalette, (.1, .5), ranks, fits.lavalette(ranks, .1, .39) + noise)):
            theirs, _ = optimize.curve_fit(function, x, y, start, xtol=1e-14, ftol=1e-14)
            np.testing.assert_allclose(ours.parameters, theirs, rtol=0, atol=1e-6)

    def test_beta(self):
        xs = (np.arange(40) + .5) / 40
        found = fits.fit_beta(xs, .025 * stats.beta.pdf(xs, 1.926, 6.356))  # [K11 §4.3.2] sentences of the Brown corpus
        np.testing.assert_allclose(found.parameters, (.025, 1.926, 6.356), rtol=1e-6)
        self.assertGreater(found.r2, 1 - 1e-9)

    def test_writers(self):
        """[K11 Eq. 4.20, 4.21] The means that the thesis computes: 2.52 and 22.89 words. One kind of text is the geometric distribution of scipy."""
        x = np.arange(1, 4000)
        np.testing.assert_allclose(fits.geometric(x, .3145), stats.geom.pmf(x, .3145), rtol=1e-9)
        self.assertAlmostEqual(float((x * fits.geometric(x, .3968)).sum()), 2.52, delta=.005)
        self.assertAlmostEqual(float((x * fits.geometric(x, .04369)).sum()), 22.89, delta=.005)
        self.assertAlmostEqual(float(fits.two_geometric(x, .7586, .3968, .04369).sum()), 1, delta=1e-9)

    def test_mixture_is_a_sum(self):
        """[K11 Eq. 4.18] with the thesis's parameters: the mode of full text is at density 12.15."""
        xs = np.linspace(.05, .6, 2000)
        dense = fits.mixture(xs, 68.03, 132.5, 4.034, 54.49, 1, 1, 78.87, 7.834, 28.65, 6.489 ** .5)
        self.assertAlmostEqual(xs[dense.argmax()] * 36, 12.15, delta=.03)


class Terms(unittest.TestCase):
    def test_typicality(self):
        """[K11 Eq. 4.19] A term of all pages of one class only has -1 or 1."""
        self.assertAlmostEqual(laws.typicality_of(1000, 0, 1000), -1)
        self.assertAlmostEqual(laws.typicality_of(0, 1000, 1000), 1)
        self.assertEqual(laws.typicality_of(50, 50, 1000), 0)

    def test_full_stop(self):
        for text, wanted in (("It was so. Then", True), ("Widgets Inc. of", False), ("vs. them", False), ("a. b", False), ("3.14 or so", False), ("the end.", True), ("U.S. news", False)):
            self.assertEqual(laws.has_full_stop(text), wanted, text)

    def test_information_gain(self):
        """scipy's entropies give the same gain."""
        values, classes = [1, 1, 2, 2, 3, 3], [0, 0, 0, 1, 1, 1]
        wanted = stats.entropy([3, 3], base=2) - stats.entropy([1, 1], base=2) / 3
        self.assertAlmostEqual(laws.information_gain(values, classes), wanted, delta=1e-12)


class Links(unittest.TestCase):
    def test_tau_equals_scipy(self):
        draw = random.Random(2)
        for _ in range(20):
            a, b = ([draw.randrange(6) for _ in range(30)] for _ in range(2))
            self.assertAlmostEqual(links.kendall_tau(a, b), float(stats.kendalltau(a, b).statistic), delta=1e-9)
        self.assertEqual(links.kendall_tau([1, 2, 3], [3, 2, 1]), -1)

    def test_average_precision(self):
        """sklearn gives the same, and relevant results at ranks 1 and 3 have (1 + 2/3) / 2."""
        from sklearn import metrics
        self.assertAlmostEqual(links.average_precision([True, False, True]), 5 / 6)
        draw = random.Random(3)
        for _ in range(20):
            relevant = [draw.random() < .4 for _ in range(10)] + [True]
            self.assertAlmostEqual(links.average_precision(relevant), metrics.average_precision_score(relevant, -np.arange(11.)), delta=1e-9)
        self.assertEqual(links.average_precision([False]), 0)

    def test_membership(self):
        """[K11 Eq. 3.13 to 3.15] Two facets of a dimension are above the mean, so the logarithms are halved. Below the mean the membership is negative."""
        ranks, dimension = {"a": np.e ** 2, "b": np.e, "c": .5, "x": 1.0}, {"a": "topic", "b": "topic", "c": "topic", "x": "origin"}
        found = links.membership(ranks, dimension)
        self.assertAlmostEqual(found["a"], 1)
        self.assertAlmostEqual(found["b"], .5)
        self.assertAlmostEqual(found["c"], np.log(.5) / 2)
        self.assertEqual(found["x"], 0)
        self.assertEqual(links.membership({"a": .5}, {"a": "topic"})["a"], 0)  # no facet is above the mean: the uncertainty is infinite

    def test_facets(self):
        """[K11 Eq. 3.16, Alg. 3.1] The second round uses the facet that the first round finds."""
        rows = {"seed": [{"seed": 1, "new": 1, "far": 0}, {"seed": 1, "new": 0, "far": 0}], "new": [{"seed": 0, "new": 1, "far": 1}, {"seed": 0, "new": 1, "far": 1}], "far": []}
        self.assertEqual(links.facet_shares(rows["seed"]), {"seed": 1, "new": .5, "far": 0})
        self.assertEqual(links.find_facets(["seed"], ["seed", "new", "far"], rows.get)["far"], 0)
        self.assertEqual(links.find_facets(["seed"], ["seed", "new", "far"], rows.get, rounds=5), {"seed": .5, "new": .75, "far": .5})

    def test_combination(self):
        np.testing.assert_allclose(links.combined([[1, 0], [0, 2]], [.25, .75]), [.25, 1.5])  # [K11 Eq. 3.6]

    def test_iterations_converge_to_the_solution(self):
        """[K11 Eq. 3.10] All methods give the ranks of the linear system; Gauss-Seidel needs fewer iterations than Jacobi."""
        class Small:
            urls = list(range(6))
            host_of = [0, 0, 0, 1, 1, 2]
            partition_of = {0: 0, 1: 1, 2: 0}
            edges = np.array([(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 3), (5, 0), (1, 5), (2, 2)])
        degree = np.bincount(Small.edges[:, 0], minlength=6)
        system = np.eye(6)
        for s, t in Small.edges:
            system[t, s] -= links.ALPHA / degree[s]
        exact = np.linalg.solve(system, np.full(6, 1 - links.ALPHA))
        rounds = {}
        for method in ("jacobi", "gauss-seidel", "partitioned"):
            ranks, changes = links.iterate(Small, method, 1e-12)
            np.testing.assert_allclose(ranks, exact, atol=1e-9)
            rounds[method] = len(changes)
        self.assertLess(rounds["gauss-seidel"], rounds["jacobi"])


class Significance(unittest.TestCase):
    def test_wilcoxon_equals_scipy(self):
        draw = np.random.default_rng(4)
        for shift in (0, .1, -.2):
            a, b = draw.random(80).round(2), (draw.random(80) + shift).round(2)
            theirs = stats.wilcoxon(a, b, alternative="greater", method="approx", zero_method="wilcox", correction=False)
            _, p = cohesion.signed_rank(a, b)
            self.assertAlmostEqual(p, float(theirs.pvalue), delta=1e-9)
        self.assertEqual(cohesion.signed_rank([1, 2], [1, 2]), (0.0, 1.0))

    def test_heterogeneity(self):
        """[H25 Fig. 4] The distances of the figure: circle and square 1, circle and triangle 2, square and triangle 3."""
        self.assertEqual(cohesion.heterogeneity_of([[0, 0], [0, 0]]), 0)
        self.assertAlmostEqual(cohesion.heterogeneity_of([[0, 1, 2], [1, 0, 3], [2, 3, 0]]), (28 / 9 - (12 / 9) ** 2) ** .5)

    def test_ndcg(self):
        from sklearn import metrics
        gains = [2, 0, 1, 0, 2]
        wanted = metrics.ndcg_score([[2 ** g - 1 for g in gains]], [[5, 4, 3, 2, 1]])
        self.assertAlmostEqual(boilerplate.ndcg(gains, gains), float(wanted), delta=1e-9)


class Boilerplate(unittest.TestCase):
    def test_one_rule(self):
        """[K11 Tab. 4.9] One cut of the density at 10.5 gives two leaves."""
        values = np.array([[float(v)] for v in (1, 2, 3, 4, 10, 11, 12, 13, 14)])
        model = boilerplate.OneRule(.2).fit(values, np.array([False] * 5 + [True] * 4), np.ones(9))
        self.assertEqual((model.cuts, model.leaves), ([10.5], 2))
        self.assertEqual(model.predict_proba(np.array([[9.], [11.]])).argmax(1).tolist(), [0, 1])

    def test_features(self):
        row = dict(zip(boilerplate.LOCAL, boilerplate.features_of("Home | News. On Monday it rained.", 6, 3, "html/body/div/h2", .5)))
        self.assertEqual((row["num-words"], row["link-density"], row["bars"], row["h2"], row["p"], row["dates"], row["capitals"], row["num-sentences"]), (6, .5, 1, 1, 0, 1, 4, 2))

    def test_scores(self):
        found = boilerplate.scores_of(np.array([False, False, True, True]), np.array([[.9, .1], [.4, .6], [.2, .8], [.1, .9]]), np.array([1., 1, 1, 1]))
        for value, wanted in zip(found, ((1 + 2 / 3) / 2, .75, (2 / 3 + .8) / 2, .25, 1)):
            self.assertAlmostEqual(value, wanted)

    def test_labels(self):
        self.assertEqual(boilerplate.labels_for(["Home News", "A long story here", "unknown"], [("Home", "boilerplate"), ("A long story here", "fulltext")]), ["boilerplate", "fulltext", None])


class PageTypes(unittest.TestCase):
    def test_gain_equals_laws(self):
        table, labels = np.array([[1, 0], [2, 0], [0, 1], [0, 0]], float), np.array(["a", "a", "b", "b"])
        wanted = [laws.information_gain((table[:, i] > 0).tolist(), labels.tolist()) for i in (0, 1)]
        np.testing.assert_allclose(boundaries.gain_of_terms(table, labels), wanted, atol=1e-9)

    def test_tf_isf(self):
        """[B14 §8] A term of one of three pages that have the position has ISF log(3 / 1), but rare terms are left out."""
        pages = [{"top": ["a", "a", "b"]}, {"top": ["a", "b"]}, {"top": ["a"], "bottom": ["b"]}, {"top": ["c"]}]
        table, names = boundaries.term_vectors(pages)
        self.assertEqual(names, [("top", "a")])
        np.testing.assert_allclose(table[:, 0], [2 * np.log(4 / 3), np.log(4 / 3), np.log(4 / 3), 0], rtol=1e-6)


class Models(unittest.TestCase):
    def test_text(self):
        text = "thresher-model 1\nparameter lambda 2048\nweight child.share 5\nweight metric.y 1024\nchecksum 0\n"
        found = model_text.changed(text, cuts.no_parent_edges, {"lambda": 512})
        self.assertIn("parameter lambda 512\nweight child.share 0\nweight metric.y 1024\nchecksum ", found)
        self.assertEqual(model_text.changed(found), found)

    def test_fold(self):
        text = "thresher-model 1\nparameter grain 0\nfold final\nweight a 1\nfold 0\nweight a 2\nfold 3\nweight a 3\nweight b 4\nchecksum 0\n"
        found = model_text.of_fold(text, 3)
        self.assertIn("parameter grain 0\nfold final\nweight a 3\nweight b 4\nchecksum ", found)
        self.assertEqual(model_text.changed(found), found)

    def test_fold_of_a_site(self):
        self.assertEqual(duplicates.fold_of("http://Example.org:80/a"), hashlib.sha1(b"example.org").digest()[-1] % 4)


class Functions(unittest.TestCase):
    def test_each_experiment_has_its_function(self):
        for e in catalog.read_experiments():
            if e.run != "-":
                module, name = e.run.split(".")
                self.assertTrue(callable(getattr(sys.modules[module], name)), e.run)


class Agreement(unittest.TestCase):
    def test_indices_equal_sklearn(self):
        from sklearn import metrics
        draw = random.Random(1)
        for _ in range(20):
            a, b = ([draw.randrange(4) for _ in range(50)] for _ in range(2))
            self.assertAlmostEqual(segmentation.adjusted_rand(a, b), metrics.adjusted_rand_score(a, b), delta=1e-9)
            self.assertAlmostEqual(segmentation.normalized_mutual_information(a, b), metrics.normalized_mutual_info_score(a, b, average_method="geometric"), delta=1e-9)


class Charts(unittest.TestCase):
    def test_charts_are_xml(self):
        import xml.etree.ElementTree as tree
        chart = svg.Chart("a < b", "x", "y", log_x=True).add("one & two", [0, 1, 10], [1, 2, float("nan")]).add("bars", [1, 2], [3, 4], "bars").add("", [], [])
        for form in ("points", "steps", "dashes"):
            chart.add(form, [1, 10], [1, 1], form)
        tree.fromstring(chart.text())
        tree.fromstring(svg.Matrix("m", [[0, 1], [2, 0]]).text())


if __name__ == "__main__":
    unittest.main()
