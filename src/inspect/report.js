/*
 * Draws the report of `thresher inspect` from the JSON in the page.
 *
 * Everything that came from the inspected page enters the document by textContent, and nothing else: no markup is built
 * from strings, no attribute holds foreign text but href, and that only for http and https. Switching the method changes
 * classes and numbers of rows that stay; they are built once.
 */
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const record = data.record;
  const page = data.inspection;
  const blocks = page.blocks;
  const $ = (id) => document.getElementById(id);

  const CHUNK = 64; // rows in one layout group; the browser skips groups out of view
  const PAGE_OF_ROWS = 200; // rows of a table before "Show more"
  const LONGEST = 2000; // displayed characters of a title or URL

  // The displayed reading: a segmenter, a classifier, and their results for each block.
  let reading = null;
  let segmenter = null;
  let classifier = null;
  let selected = -1;

  // ---- elements and figures

  function element(name, className, ...children) {
    const made = document.createElement(name);
    if (className) made.className = className;
    for (const child of children) {
      if (child === null || child === undefined) continue;
      made.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
    return made;
  }

  function clip(text) {
    return text.length > LONGEST ? text.slice(0, LONGEST) + '\u2026' : text;
  }

  function whole(number) {
    return number.toLocaleString('en');
  }

  function counted(number, name) {
    return `${whole(number)} ${name}${number === 1 ? '' : 's'}`;
  }

  function figure(number, places = 2) {
    return String(Number(number.toFixed(places)));
  }

  // Returns an anchor for a web address, or its text for another address.
  function address(url) {
    let parsed = null;
    try {
      parsed = new URL(url);
    } catch (error) {
      parsed = null;
    }
    if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return element('span', '', clip(url));
    const anchor = element('a', '', clip(url));
    anchor.href = parsed.href;
    anchor.rel = 'noopener noreferrer nofollow';
    anchor.target = '_blank';
    return anchor;
  }

  function labelTag(isContent) {
    return element('span', isContent ? 'tag content' : 'tag boilerplate', isContent ? 'content' : 'boilerplate');
  }

  function pairs(rows) {
    const list = element('dl', 'pairs');
    for (const [name, value] of rows) {
      if (value === undefined || value === null || value === '') continue;
      list.append(element('dt', '', name), element('dd', '', value));
    }
    return list;
  }

  // Adds rows to a container in pages.
  function paged(container, count, makeRow, holder) {
    let shown = 0;
    const more = element('button', 'more');
    more.type = 'button';
    const grow = () => {
      const end = Math.min(count, shown + PAGE_OF_ROWS);
      for (; shown < end; shown++) holder.append(makeRow(shown));
      more.hidden = shown === count;
      more.textContent = `Show ${whole(Math.min(PAGE_OF_ROWS, count - shown))} more of ${whole(count - shown)}`;
    };
    more.addEventListener('click', grow);
    container.append(more);
    grow();
  }

  // ---- results of a reading for a block

  const isContent = (i) => reading.labels[i] === 'c';
  const segmentOf = (i) => segmenter.segment_of[i];
  const isMain = (i) => segmentOf(i) === segmenter.main_segment;
  const starts = (i) => i === 0 || segmentOf(i) !== segmentOf(i - 1);

  // The classifier's reason with the block's figures in it.
  const why = (i) => page.whys[reading.why[i]];

  // ---- head

  function fillHead() {
    $('title').textContent = clip(record.title || '(no title)');
    document.title = `${clip(record.title || record.url || 'page')} \u2013 thresher inspect`;
    const facts = $('facts');
    const add = (...children) => facts.append(element('span', '', ...children));
    if (record.url) add(address(record.url));
    if (record.site_name) add(clip(record.site_name));
    if (record.author) add(`by ${clip(record.author)}`);
    if (record.published) add(`published ${clip(record.published)}`);
    if (record.modified) add(`modified ${clip(record.modified)}`);
    if (record.date) add(`fetched ${clip(record.date)}`);
    if (record.language) add(clip(record.language));
    if (record.language_detected) add(`${record.language_detected.name} detected`);
    if (record.language_second) add(`${record.language_second.name} by the second model`);
    if (record.http && record.http.charset) add(`${record.http.charset}, by ${record.http.charset_from}`);
    if (record.page_type) add(`${record.page_type.name}, ${figure(record.page_type.score)}`);
    if (record.quality !== undefined) add(`expected quality ${figure(record.quality)}`);
    for (const flag of record.flags) $('flags').append(element('span', 'tag', flag));
    $('software').textContent = `${page.software} \u00b7 lines of ${page.w_max} columns \u00b7 gap profile ${page.profile} \u00b7 this file loads no external resources`;
    if (/^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/.test(record.language || '')) {
      $('title').lang = record.language;
      $('blocks').lang = record.language;
    }
  }

  function fillCounts() {
    const list = $('counts');
    const tokens = record.counts.tokens;
    const share = (part) => (tokens ? ` (${Math.round((100 * part) / tokens)}%)` : '');
    const lines = lineStart[blocks.length];
    const rows = [
      ['blocks', whole(record.counts.blocks)],
      ['segments', whole(segmenter.segment_count)],
      [page.omitted ? 'lines shown' : 'lines', whole(lines)],
      ['tokens', whole(tokens)],
      ['linked tokens', whole(record.counts.linked_tokens) + share(record.counts.linked_tokens)],
      ['content tokens', whole(reading.content_tokens) + share(reading.content_tokens)],
    ];
    if (record.site_pages) rows.push(['known pages of the site', whole(record.site_pages)], ['site template', record.template_known ? 'known' : 'unknown; own text is estimated from this page only'], ['recurrent tokens', whole(record.recurrent_tokens) + share(record.recurrent_tokens)]);
    const main = segmenter.segments[segmenter.main_segment];
    if (main) rows.push([`tokens in main segment ${segmenter.main_segment}`, whole(main.tokens) + share(main.tokens)]);
    list.replaceChildren(...rows.map(([name, value]) => element('div', '', element('dt', '', name), element('dd', '', value))));
  }

  // ---- methods

  function fillMethods() {
    const fill = (select, methods) => {
      methods.forEach((method, number) => {
        const option = element('option', '', method.name);
        option.value = String(number);
        select.append(option);
      });
      select.disabled = methods.length < 2;
      select.title = methods.length < 2 ? 'thresher inspect --compare adds other methods to this list' : '';
      select.addEventListener('change', () => show(Number($('segmenter').value), Number($('classifier').value)));
    };
    fill($('segmenter'), page.segmenters);
    fill($('classifier'), page.classifiers);
  }

  function fillMethodHelp() {
    const theta = segmenter.theta_max === undefined ? '' : `, \u03d1 max ${figure(segmenter.theta_max)}`;
    $('method-help').textContent =
      `${segmenter.name}: ${segmenter.help} ${segmenter.cites}${theta}. ` + `${classifier.name}: ${classifier.help} ${classifier.cites}.`;
  }

  // ---- text

  const rows = [];

  function buildBlocks() {
    const list = $('blocks');
    let chunk = null;
    blocks.forEach((block, i) => {
      if (i % CHUNK === 0) {
        chunk = element('div', 'chunk');
        chunk.setAttribute('role', 'presentation');
        list.append(chunk);
      }
      const gauge = element('i');
      gauge.style.width = `${Math.min(100, (100 * block.density) / scaleTop)}%`;
      const said = element('div', 'said', block.text);
      said.dir = 'auto';
      if (block.hidden) said.append(' ', element('span', 'tag', 'hidden'));
      if (block.recurs) said.append(' ', element('span', 'tag', `on ${whole(block.pages)} of the site's ${counted(record.site_pages, 'page')}`));
      if (block.text_len) said.append(element('span', 'tag', `${whole(block.text_len)} bytes in total`));
      const row = element('div', 'block', element('div', 'number'), element('div', 'gauge', gauge), said);
      row.id = `block-${i}`;
      row.setAttribute('role', 'option');
      row.setAttribute('aria-selected', 'false');
      row.dataset.block = String(i);
      chunk.append(row);
      rows.push(row);
    });
    const numberAt = (event) => {
      const row = event.target.closest('.block');
      return row ? Number(row.dataset.block) : -1;
    };
    list.addEventListener('click', (event) => numberAt(event) >= 0 && select(numberAt(event), false));
    list.addEventListener('mouseover', (event) => numberAt(event) >= 0 && glance(numberAt(event)));
    list.addEventListener('mouseleave', () => glance(-1));
    if (!blocks.length) list.append(element('p', 'help', 'The page has no text.'));
    if (page.omitted) {
      $('omitted').hidden = false;
      $('omitted').textContent =
        `Not shown here: ${whole(page.omitted.blocks)} more blocks and ${whole(page.omitted.links)} more links. --json has all of them.`;
    }
  }

  // Updates labels, segments and borders of the existing rows for the current reading.
  function paintBlocks() {
    rows.forEach((row, i) => {
      const begins = starts(i);
      row.className =
        'block' + (isContent(i) ? ' content' : '') + (begins ? ' starts' : '') + (segmentOf(i) % 2 ? ' odd' : '') + (isMain(i) ? ' main' : '');
      row.firstChild.replaceChildren(begins ? element('b', '', segmentOf(i)) : '');
    });
  }

  // ---- the block's row

  function fillRow(i) {
    const panel = $('row');
    if (i < 0 || i >= blocks.length) {
      panel.replaceChildren(element('p', 'help', 'No block.'));
      return;
    }
    const block = blocks[i];
    const segment = segmenter.segments[segmentOf(i)];
    const own = reading === page.readings[page.chosen] && record.segments ? record.segments[segmentOf(i)] : null;
    const heading = element('h2', '', `Block ${i}`, labelTag(isContent(i)), isMain(i) ? element('span', 'tag main', 'main segment') : null, block.recurs ? element('span', 'tag', 'recurs') : null, block.hidden ? element('span', 'tag', 'hidden') : null);
    const tags = element('div', 'tags', ...block.gap.map((tag) => element('code', '', `<${tag}>`)));
    if (block.gap_len > block.gap.length) tags.append(element('span', 'help', `and ${whole(block.gap_len - block.gap.length)} more`));
    if (!block.gap.length) tags.append(element('span', 'help', 'no tag'));
    panel.replaceChildren(
      heading,
      element('p', isContent(i) ? 'why content' : 'why', `${classifier.name}: ${why(i)}`),
      ...spokenOf(block),
      element('h3', '', 'Block'),
      pairs([
        ['tokens', whole(block.tokens)],
        ['linked tokens', whole(block.linked)],
        ['lines', block.lines > 1 ? `${whole(block.lines)}, the last with ${counted(block.last_line_tokens, 'token')}` : '1'],
        ['text density', figure(block.density)],
        ['link density', figure(block.link_density)],
        ['its paragraph occurs on', block.pages === undefined ? undefined : `${whole(block.pages)} of ${counted(record.site_pages, 'page')} of the site`],
      ]),
      element('h3', '', 'Neighbors'),
      neighbours(i),
      element('h3', '', 'Gap before the block'),
      tags,
      pairs([
        [`by profile ${page.profile}`, block.gap_class],
        ['slope delta', block.slope_delta === undefined ? undefined : figure(block.slope_delta)],
        ['border', i === 0 ? undefined : starts(i) ? 'start of a segment' : 'none (same segment as the block before)'],
      ]),
      element('h3', '', `Segment ${segmentOf(i)}`),
      pairs([
        ['label', reading.segment_labels[segmentOf(i)] === 'c' ? 'content' : 'boilerplate'],
        ['blocks', whole(segment.blocks)],
        ['tokens', `${whole(segment.tokens)}, ${whole(segment.linked)} linked`],
        ['text density', figure(segment.density)],
        ['link density', figure(segment.link_density)],
        ['fingerprint', own ? element('span', 'digits', own.fingerprint) : undefined],
      ]),
      element('h3', '', 'Ancestors'),
      element('p', 'path', block.path || '(nothing)'),
      ...linksOf(i),
    );
  }

  // Returns the contribution of each group of features to a paragraph's score.
  function spokenOf(block) {
    const learned = reading.learned;
    if (!learned || block.paragraph >= learned.paragraphs.length) return [];
    const [score, base, ...parts] = learned.paragraphs[block.paragraph];
    const widest = Math.max(1, ...parts.map(Math.abs));
    const bars = parts
      .map((value, number) => ({ value, group: learned.groups[number] }))
      .filter((part) => Math.abs(part.value) >= 0.05)
      .sort((a, b) => b.value - a.value)
      .map((part) => {
        const bar = element('i', part.value > 0 ? 'for' : 'against');
        bar.style.width = `${(50 * Math.abs(part.value)) / widest}%`;
        const name = element('th', '', part.group.name);
        name.title = part.group.help;
        return element('tr', '', name, element('td', 'n', `${part.value > 0 ? '+' : '\u2212'}${figure(Math.abs(part.value))}`), element('td', 'spoke', bar));
      });
    return [
      element('h3', '', 'Score of its paragraph'),
      pairs([
        ['probability of content', figure(score, 3)],
        ['threshold for content', figure(learned.cut, 3)],
        ['base log-odds', figure(base)],
      ]),
      element('table', 'spoken', element('tbody', '', ...bars)),
    ];
  }

  function neighbours(i) {
    const cell = (value, here) => element('td', here ? 'n here' : 'n', value);
    const line = (name, value) =>
      element('tr', '', element('th', '', name), ...[-1, 0, 1].map((step) => cell(blocks[i + step] ? value(blocks[i + step]) : '\u2013', step === 0)));
    return element(
      'table',
      '',
      element('thead', '', element('tr', '', element('th', ''), element('th', 'n', 'before'), element('th', 'n here', 'this'), element('th', 'n', 'after'))),
      element(
        'tbody',
        '',
        line('tokens', (block) => whole(block.tokens)),
        line('text density', (block) => figure(block.density)),
        line('link density', (block) => figure(block.link_density)),
      ),
    );
  }

  const linksByBlock = new Map();
  page.links.forEach((link) => {
    if (link.block === undefined) return;
    if (!linksByBlock.has(link.block)) linksByBlock.set(link.block, []);
    linksByBlock.get(link.block).push(link);
  });

  function linksOf(i) {
    const links = linksByBlock.get(i);
    if (!links) return [];
    const list = element('ul', '', ...links.slice(0, 8).map((link) => element('li', 'path', address(link.url))));
    if (links.length > 8) list.append(element('li', 'help', `and ${whole(links.length - 8)} more`));
    return [element('h3', '', 'Links'), list];
  }

  // ---- selection

  let glanced = -1;

  function glance(i) {
    if (glanced === i) return;
    glanced = i;
    fillRow(i >= 0 ? i : selected);
    paintOver();
  }

  // Scrolls a row into view. If the list has its own scroll bar, scrolls only the list, so the chart does not move.
  function reveal(i, mayMovePage) {
    const list = $('blocks');
    const place = () => {
      const row = rows[i].getBoundingClientRect();
      const box = list.getBoundingClientRect();
      const bottom = Math.min(box.bottom, window.innerHeight);
      if (list.scrollHeight <= list.clientHeight + 1) {
        if (mayMovePage) rows[i].scrollIntoView({ block: 'nearest' });
      } else if (row.top < box.top + 24 || row.bottom > bottom - 24) {
        list.scrollTop += row.top - box.top - Math.min(80, list.clientHeight / 3);
      }
    };
    place();
    requestAnimationFrame(place); // rows have their final height only after they become visible
  }

  function selectFar(i) {
    $('blocks').scrollIntoView({ block: 'nearest' });
    select(i);
  }

  function select(i, mayMovePage = true) {
    if (i < 0 || i >= blocks.length) return;
    if (selected >= 0) rows[selected].setAttribute('aria-selected', 'false');
    selected = i;
    glanced = -1;
    rows[i].setAttribute('aria-selected', 'true');
    $('blocks').setAttribute('aria-activedescendant', rows[i].id);
    reveal(i, mayMovePage);
    fillRow(i);
    showInChart(i);
    paintOver();
  }

  // Returns the first block of the segment before or after the selected segment.
  function segmentStep(step) {
    let i = selected;
    if (step > 0) {
      do i++;
      while (i < blocks.length && !starts(i));
      return i < blocks.length ? i : blocks.length - 1;
    }
    if (starts(i)) i--;
    while (i > 0 && !starts(i)) i--;
    return Math.max(0, i);
  }

  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !blocks.length) return;
    const steps = {
      ArrowDown: () => selected + 1,
      ArrowRight: () => selected + 1,
      ArrowUp: () => selected - 1,
      ArrowLeft: () => selected - 1,
      PageDown: () => segmentStep(1),
      PageUp: () => segmentStep(-1),
      Home: () => 0,
      End: () => blocks.length - 1,
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    select(Math.max(0, Math.min(blocks.length - 1, step())), event.currentTarget === $('blocks'));
  }

  // ---- chart: x is the line of the page, y the tokens on it, as in [KN08 Fig. 1]

  const lineStart = new Array(blocks.length + 1).fill(0);
  blocks.forEach((block, i) => {
    lineStart[i + 1] = lineStart[i] + block.lines;
  });
  const highest = blocks.reduce((most, block) => Math.max(most, block.density), 0);
  const scaleTop = Math.min(Math.max(12, Math.ceil((highest * 1.05) / 4) * 4), 40); // higher densities (single one-letter words) are clipped
  const HEIGHT = 250;
  const LEFT = 34;
  const TOP = 18;
  const BOTTOM = 52; // axis, gap marks, links, line numbers
  const FLOOR = HEIGHT - BOTTOM;
  const MOST_WIDTH = 8e6;
  let perLine = 0; // pixels per line; 0 fits the page into the width

  const colours = {};

  function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ['content', 'boilerplate', 'cut', 'level', 'main', 'main-ink', 'links', 'ink', 'muted', 'line', 'band', 'panel', 'focus', 'pick'])
      colours[name] = style.getPropertyValue(`--${name}`).trim();
  }

  function frame() {
    const width = $('chart-scroll').clientWidth;
    const lines = Math.max(1, lineStart[blocks.length]);
    const fit = (width - LEFT - 8) / lines;
    const scale = perLine ? Math.max(perLine, fit) : fit;
    return { width, lines, fit, scale, left: $('chart-scroll').scrollLeft };
  }

  function layOut() {
    const { width, lines, scale } = frame();
    $('chart-space').style.width = `${Math.max(width, LEFT + 8 + lines * scale)}px`;
    for (const id of ['chart-base', 'chart-over']) {
      const canvas = $(id);
      const ratio = window.devicePixelRatio || 1;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(HEIGHT * ratio);
      canvas.style.width = `${width}px`;
      canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    paintBase();
    paintOver();
  }

  const xOf = (view, line) => LEFT + line * view.scale - view.left;
  const yOf = (density) => FLOOR - (Math.min(density, scaleTop) / scaleTop) * (FLOOR - TOP);

  // Returns the block that contains a line.
  function blockAtLine(line) {
    let low = 0;
    let high = blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (lineStart[middle] <= line) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  function visible(view) {
    if (!blocks.length) return [0, 0];
    const first = blockAtLine(Math.max(0, view.left / view.scale));
    const last = blockAtLine((view.left + view.width) / view.scale);
    return [first, Math.min(blocks.length, last + 1)];
  }

  function paintBands(pen, view, first, end) {
    let run = first;
    for (let i = first + 1; i <= end; i++) {
      if (i < end && !starts(i)) continue;
      const x = xOf(view, lineStart[run]);
      const right = xOf(view, lineStart[i]);
      const number = segmentOf(run);
      if (isMain(run) || (number % 2 && right - x >= 1)) {
        pen.fillStyle = isMain(run) ? colours.main : colours.band;
        pen.fillRect(x, TOP - 14, right - x, FLOOR - TOP + 14);
      }
      const text = String(number);
      if (right - x > 8 + 7 * text.length) {
        pen.fillStyle = isMain(run) ? colours['main-ink'] : colours.muted;
        pen.textAlign = 'center';
        pen.fillText(text, (Math.max(x, LEFT) + Math.min(right, view.width)) / 2, TOP - 4);
      }
      run = i;
    }
  }

  function paintGrid(pen, view) {
    pen.strokeStyle = colours.line;
    pen.fillStyle = colours.muted;
    pen.lineWidth = 1;
    pen.textAlign = 'right';
    for (let tick = 0; tick <= scaleTop; tick += scaleTop > 20 ? 8 : 4) {
      const y = Math.round(yOf(tick)) + 0.5;
      pen.beginPath();
      pen.moveTo(LEFT, y);
      pen.lineTo(view.width, y);
      pen.stroke();
      pen.fillText(String(tick), LEFT - 6, y + 4);
    }
    pen.textAlign = 'center';
    const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000];
    const step = steps.find((candidate) => candidate * view.scale >= 70) || 1e6;
    for (let line = Math.ceil(view.left / view.scale / step) * step; line <= view.lines; line += step) {
      const x = xOf(view, line);
      if (x > view.width - 12) break;
      pen.fillText(line ? whole(line) : 'line 0', Math.max(x, LEFT + 14), HEIGHT - 6);
    }
  }

  function paintBars(pen, view, first, end) {
    for (let i = first; i < end; i++) {
      const block = blocks[i];
      const x = xOf(view, lineStart[i]);
      const width = block.lines * view.scale;
      const stripe = width >= 3 ? 1 : 0; // the gap between two bars, in the background color
      const y = yOf(block.density);
      pen.fillStyle = isContent(i) ? colours.content : colours.boilerplate;
      pen.fillRect(x + stripe, y, Math.max(width - stripe, 0.75), FLOOR - y);
      if (block.link_density > 0) {
        pen.globalAlpha = 0.15 + 0.85 * block.link_density;
        pen.fillStyle = colours.links;
        pen.fillRect(x + stripe, FLOOR + 17, Math.max(width - stripe, 0.75), 7);
        pen.globalAlpha = 1;
      }
    }
  }

  function paintGaps(pen, view, first, end) {
    const marks = { enforcing: [10, 1, colours.ink], neutral: [6, 0.55, colours.muted], avoiding: [3, 0.5, colours.muted] };
    const last = { enforcing: -9, neutral: -9, avoiding: -9 };
    for (let i = Math.max(1, first); i < end; i++) {
      const x = xOf(view, lineStart[i]);
      if (x - last[blocks[i].gap_class] < 2) continue; // would overlap the previous mark
      last[blocks[i].gap_class] = x;
      const [length, alpha, colour] = marks[blocks[i].gap_class];
      pen.globalAlpha = view.scale < 1 ? alpha * 0.6 : alpha;
      pen.fillStyle = colour;
      pen.fillRect(x - 0.5, FLOOR + 4, 1, length);
    }
    pen.globalAlpha = 1;
  }

  function paintBorders(pen, view, first, end) {
    // Fades borders that are close together, so that they do not hide the bars.
    const spacing = (view.lines * view.scale) / segmenter.segment_count;
    const faintness = Math.min(0.9, Math.max(0.22, spacing / 22));
    let run = first;
    let widthBefore = 0;
    for (let i = first + 1; i <= end; i++) {
      if (i < end && !starts(i)) continue;
      const x = xOf(view, lineStart[run]);
      const right = xOf(view, lineStart[i]);
      const y = Math.round(yOf(segmenter.segments[segmentOf(run)].density)) + 0.5;
      if (right - x > 3) {
        pen.strokeStyle = colours.panel;
        pen.lineWidth = 3;
        line(pen, x + 1, y, right - 1, y);
        pen.strokeStyle = colours.level;
        pen.lineWidth = 1.25;
        line(pen, x + 1, y, right - 1, y);
      }
      // Omits borders of segments that are narrower than the line. Zooming in shows them.
      if (run > 0 && Math.max(right - x, widthBefore) >= 3) {
        pen.globalAlpha = faintness;
        pen.strokeStyle = colours.cut;
        pen.lineWidth = 1;
        line(pen, Math.round(x) + 0.5, TOP - 14, Math.round(x) + 0.5, FLOOR + 2);
        pen.globalAlpha = 1;
      }
      widthBefore = right - x;
      run = i;
    }
  }

  function line(pen, x0, y0, x1, y1) {
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    pen.stroke();
  }

  function paintBase() {
    const view = frame();
    const pen = $('chart-base').getContext('2d');
    const [first, end] = visible(view);
    pen.clearRect(0, 0, view.width, HEIGHT);
    pen.font = '11px system-ui, sans-serif';
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, 0, view.width - LEFT, HEIGHT);
    pen.clip();
    paintBands(pen, view, first, end);
    pen.restore();
    paintGrid(pen, view);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, 0, view.width - LEFT, HEIGHT);
    pen.clip();
    paintBars(pen, view, first, end);
    paintGaps(pen, view, first, end);
    paintBorders(pen, view, first, end);
    pen.restore();
  }

  function paintOver() {
    const view = frame();
    const pen = $('chart-over').getContext('2d');
    pen.clearRect(0, 0, view.width, HEIGHT);
    const mark = (i, alpha) => {
      if (i < 0) return;
      const x = xOf(view, lineStart[i]);
      const width = Math.max(3, blocks[i].lines * view.scale);
      if (x + width < LEFT) return;
      pen.globalAlpha = alpha;
      pen.fillStyle = colours.focus;
      pen.fillRect(Math.max(x, LEFT), TOP - 14, width, 3);
      pen.fillRect(Math.max(x, LEFT), FLOOR + 26, width, 3);
      pen.globalAlpha = 0.25 * alpha;
      pen.fillRect(Math.max(x, LEFT), TOP - 14, width, FLOOR - TOP + 16);
      pen.globalAlpha = 1;
    };
    if (glanced !== selected) mark(glanced, 0.6);
    mark(selected, 1);
  }

  // Scrolls a zoomed chart until the block is visible.
  function showInChart(i) {
    const view = frame();
    const x = xOf(view, lineStart[i]);
    if (view.scale > view.fit && (x < LEFT || x > view.width - 40)) $('chart-scroll').scrollLeft = lineStart[i] * view.scale - view.width / 3;
  }

  function zoom(factor) {
    const before = frame();
    const middle = selected >= 0 ? lineStart[selected] : (before.left + before.width / 2) / before.scale;
    perLine = Math.min(Math.max(before.scale * factor, before.fit), Math.max(60, 4 * before.fit), MOST_WIDTH / before.lines);
    layOut();
    $('chart-scroll').scrollLeft = middle * perLine - before.width / 3;
  }

  function bindChart() {
    const scroll = $('chart-scroll');
    const over = $('chart-over');
    const blockAt = (event) => {
      const view = frame();
      const x = event.clientX - over.getBoundingClientRect().left;
      const at = (x - LEFT + view.left) / view.scale;
      return at < 0 || at >= view.lines || !blocks.length ? -1 : blockAtLine(at);
    };
    over.addEventListener('mousemove', (event) => glance(blockAt(event)));
    over.addEventListener('mouseleave', () => glance(-1));
    over.addEventListener('click', (event) => select(blockAt(event), false));
    let isDue = false;
    const soon = (work) => () => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        work();
      });
    };
    scroll.addEventListener('scroll', soon(() => { paintBase(); paintOver(); }));
    new ResizeObserver(soon(layOut)).observe(scroll);
    $('zoom-in').addEventListener('click', () => zoom(1.6));
    $('zoom-out').addEventListener('click', () => zoom(1 / 1.6));
    $('zoom-fit').addEventListener('click', () => { perLine = 0; layOut(); });
    $('chart').addEventListener('keydown', onKey);
    $('blocks').addEventListener('keydown', onKey);
  }

  // ---- folds: filled on opening, and again for each reading

  function fillSegments() {
    const head = element('tr', '', ...['segment', 'label', 'blocks', 'tokens', 'linked', 'text density', 'link density', 'starts with'].map((name, i) =>
      element('th', i > 1 && i < 7 ? 'n' : '', name)));
    const body = element('tbody', '');
    const makeRow = (number) => {
      const segment = segmenter.segments[number];
      const isOfMain = number === segmenter.main_segment;
      const go = element('button', '', number);
      go.type = 'button';
      const row = element(
        'tr',
        'jump',
        element('td', '', go),
        element('td', '', labelTag(reading.segment_labels[number] === 'c'), isOfMain ? element('span', 'tag main', 'main') : null),
        ...[whole(segment.blocks), whole(segment.tokens), whole(segment.linked), figure(segment.density), figure(segment.link_density)].map((value) =>
          element('td', 'n', value)),
        element('td', '', blocks[segment.first_block].text.slice(0, 80)),
      );
      row.addEventListener('click', () => selectFar(segment.first_block));
      return row;
    };
    const box = $('segments');
    box.replaceChildren(element('table', '', element('thead', '', head), body));
    paged(box, segmenter.segments.length, makeRow, body);
  }

  function fillLinks() {
    const groups = [['In content', []], ['In boilerplate', []], ['Without text', []]];
    for (const link of page.links) groups[link.block === undefined ? 2 : isContent(link.block) ? 0 : 1][1].push(link);
    const box = $('links');
    box.replaceChildren();
    for (const [name, links] of groups) {
      if (!links.length) continue;
      const list = element('ul', 'link-list');
      const part = element('div', '', element('h3', '', `${name}: ${whole(links.length)}`), list);
      paged(part, links.length, (i) => {
        const link = links[i];
        const go = element('button', '', `block ${link.block}`);
        go.type = 'button';
        go.addEventListener('click', () => selectFar(link.block));
        const anchor = element('span', 'anchor', link.anchor || '');
        anchor.dir = 'auto';
        return element('li', '', anchor, element('span', 'target', address(link.url)), element('span', 'tag', link.internal ? 'same host' : 'other host'), link.block === undefined ? null : go);
      }, list);
      box.append(part);
    }
    if (!page.links.length) box.append(element('p', 'help', 'The page has no links.'));
  }

  function fillRecord() {
    const source = record.source || {};
    const http = record.http || {};
    const minhash = record.minhash;
    const digits = (text) => (text ? element('span', 'digits', text) : undefined);
    $('record').replaceChildren(
      pairs([
        ['id', record.id && clip(record.id)],
        ['file', source.file && clip(source.file)],
        ['offset', source.offset && whole(source.offset)],
        ['length', source.length && whole(source.length)],
        ['skipped bytes in the member', source.skip && whole(source.skip)],
        ['record type', source.type],
        ['server', source.ip],
        ['truncated by the crawler', source.truncated],
        ['payload digest', digits(source.payload_digest)],
        ['HTTP status', http.status],
        ['content type', http.content_type],
        ['content coding', http.encoding],
        ['canonical URL', record.canonical_url && address(record.canonical_url)],
        ['description', record.description && clip(record.description)],
        ['text digest', digits(reading.digest)],
        ['signature', minhash && `${minhash.preset}: ${minhash.k} slots, shingles of ${minhash.w}`],
        ['main segment', digits(reading.main)],
        ['content', digits(reading.content)],
        ['page', digits(reading.page)],
      ]),
    );
  }

  const folds = [['segments-fold', fillSegments], ['links-fold', fillLinks], ['record-fold', fillRecord]];

  function refreshFolds() {
    $('segments-count').textContent = whole(segmenter.segment_count);
    $('links-count').textContent = whole(page.links.length);
    for (const [id, fill] of folds) if ($(id).open) fill();
  }

  // ---- display of a reading

  function show(segmenterNumber, classifierNumber) {
    reading = page.readings.find((row) => row.segmenter === segmenterNumber && row.classifier === classifierNumber);
    segmenter = page.segmenters[segmenterNumber];
    classifier = page.classifiers[classifierNumber];
    $('segmenter').value = String(segmenterNumber);
    $('classifier').value = String(classifierNumber);
    fillMethodHelp();
    fillCounts();
    paintBlocks();
    paintBase();
    fillRow(selected);
    refreshFolds();
  }

  function setTheme(name) {
    if (name === 'auto') document.documentElement.removeAttribute('data-theme');
    else document.documentElement.setAttribute('data-theme', name);
    for (const button of document.querySelectorAll('[data-theme-to]'))
      button.setAttribute('aria-pressed', String(button.dataset.themeTo === name));
    readColours();
    paintBase();
    paintOver();
  }

  readColours();
  fillHead();
  fillMethods();
  buildBlocks();
  const first = page.readings[page.chosen];
  show(first.segmenter, first.classifier);
  layOut();
  bindChart();
  const main = segmenter.segments[segmenter.main_segment];
  select(main ? main.first_block : 0, false);
  for (const [id, fill] of folds) $(id).addEventListener('toggle', () => $(id).open && fill());
  for (const button of document.querySelectorAll('[data-theme-to]')) button.addEventListener('click', () => setTheme(button.dataset.themeTo));
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readColours(); paintBase(); paintOver(); });
})();
