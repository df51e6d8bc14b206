"""Charts as SVG: lines, points, bars, steps and matrices of dots, with linear or logarithmic axes."""
import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 340, 64, 150, 34, 46
COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f", "#bcbd22", "#e377c2", "#000000")


def _ticks(low, high, is_log):
    if is_log:
        return [10.0 ** power for power in range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)]
    step = 10 ** math.floor(math.log10((high - low) / 4))
    step *= next(m for m in (1, 2, 5, 10) if (high - low) / (step * m) <= 6)
    return [step * i for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


class Chart:
    """A chart of series. Values that an axis cannot show (not finite, or 0 on a logarithmic axis) are left out."""

    def __init__(self, title, x_name, y_name, log_x=False, log_y=False, y_range=None):
        self.title, self.names, self.logs, self.y_range = title, (x_name, y_name), (log_x, log_y), y_range
        self.series = []

    def add(self, name, xs, ys, form="line"):
        """@param form  line, points, bars, steps or dashes"""
        points = [(float(x), float(y)) for x, y in zip(xs, ys)
                  if math.isfinite(x) and math.isfinite(y) and not (self.logs[0] and x <= 0) and not (self.logs[1] and y <= 0)]
        self.series.append((name, points, form))
        return self

    def _range(self, axis):
        values = [point[axis] for _, points, _ in self.series for point in points] or [0, 1]
        low, high = min(values), max(values)
        if axis and not self.logs[1]:
            low = min(low, 0)
        if axis and self.y_range:
            low, high = self.y_range
        if low == high:
            low, high = (low / 2, high * 2) if self.logs[axis] and low > 0 else (low - .5, high + .5)
        return low, high

    def _scale(self, axis):
        low, high = self._range(axis)
        shape = math.log10 if self.logs[axis] else float
        start, length = (LEFT, WIDTH - LEFT - RIGHT) if axis == 0 else (HEIGHT - BOTTOM, TOP + BOTTOM - HEIGHT)
        return lambda value: start + length * (shape(value) - shape(low)) / (shape(high) - shape(low))

    def text(self):
        x_of, y_of = self._scale(0), self._scale(1)
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="11">',
               f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>', f'<text x="{LEFT}" y="18" font-size="13">{html.escape(self.title)}</text>']
        bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
        for value in _ticks(*self._range(0), self.logs[0]):
            x = x_of(value)
            out.append(f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="#eee"/><text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{value:g}</text>')
        for value in _ticks(*self._range(1), self.logs[1]):
            y = y_of(value)
            out.append(f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#eee"/><text x="{LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
        out.append(f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#333"/>')
        out.append(f'<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle">{html.escape(self.names[0])}</text>')
        out.append(f'<text transform="translate(14 {(TOP + bottom) / 2:.0f}) rotate(-90)" text-anchor="middle">{html.escape(self.names[1])}</text>')
        for number, (name, points, form) in enumerate(self.series):
            color = COLORS[number % len(COLORS)]
            out += self._drawn(points, form, color, x_of, y_of, bottom)
            if name:
                y = TOP + 8 + 16 * number
                out.append(f'<rect x="{right + 10}" y="{y - 5}" width="12" height="6" fill="{color}"/><text x="{right + 27}" y="{y + 2}">{html.escape(name)}</text>')
        return "\n".join(out + ["</svg>"]) + "\n"

    @staticmethod
    def _drawn(points, form, color, x_of, y_of, bottom):
        at = [(x_of(x), min(max(y_of(y), TOP - 2), bottom + 2)) for x, y in points]
        if not at:
            return []
        if form == "points":
            return ['<g fill="%s" fill-opacity=".6">%s</g>' % (color, "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2"/>' for x, y in at))]
        if form == "bars":
            gap = min((b[0] - a[0] for a, b in zip(at, at[1:]) if b[0] > a[0]), default=6)
            wide = max(gap * .8, .5)
            return ['<g fill="%s" fill-opacity=".55">%s</g>' % (color, "".join(f'<rect x="{x - wide / 2:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{max(bottom - y, 0):.1f}"/>' for x, y in at))]
        path = f"M{at[0][0]:.1f} {at[0][1]:.1f}" + "".join((f"H{x:.1f}V{y:.1f}" if form == "steps" else f"L{x:.1f} {y:.1f}") for x, y in at[1:])
        dashes = ' stroke-dasharray="5 3"' if form == "dashes" else ""
        return [f'<path d="{path}" fill="none" stroke="{color}" stroke-width="1.6"{dashes}/>']


class Matrix:
    """A square of cells, darker for larger values (a normalized dot plot)."""

    def __init__(self, title, cells):
        self.title, self.cells = title, cells

    def text(self):
        size, count = 320, len(self.cells)
        most = max((value for row in self.cells for value in row), default=0) or 1
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size + 20} {size + 40}" width="{size + 20}" height="{size + 40}" font-family="sans-serif" font-size="13">',
               f'<rect width="{size + 20}" height="{size + 40}" fill="#fff"/><text x="10" y="18">{html.escape(self.title)}</text><rect x="10" y="28" width="{size}" height="{size}" fill="none" stroke="#333"/>']
        side = size / max(count, 1)
        for i, row in enumerate(self.cells):
            for j, value in enumerate(row):
                if value > 0:
                    shade = (math.log1p(1000 * value / most) / math.log1p(1000)) if most else 0
                    out.append(f'<rect x="{10 + j * side:.2f}" y="{28 + i * side:.2f}" width="{side:.2f}" height="{side:.2f}" fill-opacity="{shade:.2f}"/>')
        return "\n".join(out + ["</svg>"]) + "\n"
