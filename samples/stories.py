"""The texts of the sample archives: opening paragraphs in the public domain, and news that never happened.

The authors died before 1950; the translation of Aesop is G. F. Townsend's of 1867. The news, their reporters, and the Thai and
Arabic stories are invented for this project. README.md lists the sources.
"""
from collections import namedtuple

Story = namedtuple('Story', 'title author published language paragraphs')


def story(title, author, published, text, language='en'):
    """text: paragraphs with a blank line between; the line ends within one are layout only."""
    join = '' if language in ('zh', 'ja', 'th') else ' '
    paragraphs = [join.join(part.split('\n')) for part in text.strip().split('\n\n')]
    return Story(title, author, published, language, paragraphs)


STORIES = {
    # -- public domain, English --
    'alice': story('Down the Rabbit-Hole', 'Lewis Carroll', '1865-11-26', '''
Alice was beginning to get very tired of sitting by her sister on the bank, and of having nothing to do: once or twice she had
peeped into the book her sister was reading, but it had no pictures or conversations in it, “and what is the use of a book,”
thought Alice “without pictures or conversations?”

So she was considering in her own mind (as well as she could, for the hot day made her feel very sleepy and stupid), whether
the pleasure of making a daisy-chain would be worth the trouble of getting up and picking the daisies, when suddenly a White
Rabbit with pink eyes ran close by her.

There was nothing so very remarkable in that; nor did Alice think it so very much out of the way to hear the Rabbit say to
itself, “Oh dear! Oh dear! I shall be late!” (when she thought it over afterwards, it occurred to her that she ought to have
wondered at this, but at the time it all seemed quite natural); but when the Rabbit actually took a watch out of its
waistcoat-pocket, and looked at it, and then hurried on, Alice started to her feet, for it flashed across her mind that she had
never before seen a rabbit with either a waistcoat-pocket, or a watch to take out of it, and burning with curiosity, she ran
across the field after it, and fortunately was just in time to see it pop down a large rabbit-hole under the hedge.

In another moment down went Alice after it, never once considering how in the world she was to get out again. The rabbit-hole
went straight on like a tunnel for some way, and then dipped suddenly down, so suddenly that Alice had not a moment to think
about stopping herself before she found herself falling down a very deep well.
'''),
    'moby': story('Loomings', 'Herman Melville', '1851-10-18', '''
Call me Ishmael. Some years ago—never mind how long precisely—having little or no money in my purse, and nothing particular to
interest me on shore, I thought I would sail about a little and see the watery part of the world. It is a way I have of driving
off the spleen and regulating the circulation.

Whenever I find myself growing grim about the mouth; whenever it is a damp, drizzly November in my soul; whenever I find myself
involuntarily pausing before coffin warehouses, and bringing up the rear of every funeral I meet; and especially whenever my
hypos get such an upper hand of me, that it requires a strong moral principle to prevent me from deliberately stepping into the
street, and methodically knocking people’s hats off—then, I account it high time to get to sea as soon as I can.

This is my substitute for pistol and ball. With a philosophical flourish Cato throws himself upon his sword; I quietly take to
the ship. There is nothing surprising in this. If they but knew it, almost all men in their degree, some time or other, cherish
very nearly the same feelings towards the ocean with me.

There now is your insular city of the Manhattoes, belted round by wharves as Indian isles by coral reefs—commerce surrounds it
with her surf. Right and left, the streets take you waterward. Its extreme downtown is the battery, where that noble mole is
washed by waves, and cooled by breezes, which a few hours previous were out of sight of land. Look at the crowds of
water-gazers there.
'''),
    'pride': story('A Truth Universally Acknowledged', 'Jane Austen', '1813-01-28', '''
It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a wife. However
little known the feelings or views of such a man may be on his first entering a neighbourhood, this truth is so well fixed in
the minds of the surrounding families, that he is considered as the rightful property of some one or other of their daughters.

“My dear Mr. Bennet,” said his lady to him one day, “have you heard that Netherfield Park is let at last?” Mr. Bennet replied
that he had not. “But it is,” returned she; “for Mrs. Long has just been here, and she told me all about it.” Mr. Bennet made
no answer. “Do not you want to know who has taken it?” cried his wife impatiently. “You want to tell me, and I have no
objection to hearing it.” This was invitation enough.

“Why, my dear, you must know, Mrs. Long says that Netherfield is taken by a young man of large fortune from the north of
England; that he came down on Monday in a chaise and four to see the place, and was so much delighted with it that he agreed
with Mr. Morris immediately; that he is to take possession before Michaelmas, and some of his servants are to be in the house
by the end of next week.”
'''),
    'cities': story('The Period', 'Charles Dickens', '1859-04-30', '''
It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, it was the epoch
of belief, it was the epoch of incredulity, it was the season of Light, it was the season of Darkness, it was the spring of
hope, it was the winter of despair, we had everything before us, we had nothing before us, we were all going direct to Heaven,
we were all going direct the other way—in short, the period was so far like the present period, that some of its noisiest
authorities insisted on its being received, for good or for evil, in the superlative degree of comparison only.

There were a king with a large jaw and a queen with a plain face, on the throne of England; there were a king with a large jaw
and a queen with a fair face, on the throne of France. In both countries it was clearer than crystal to the lords of the State
preserves of loaves and fishes, that things in general were settled for ever.
'''),
    'holmes': story('A Scandal in Bohemia', 'Arthur Conan Doyle', '1891-06-25', '''
To Sherlock Holmes she is always the woman. I have seldom heard him mention her under any other name. In his eyes she eclipses
and predominates the whole of her sex. It was not that he felt any emotion akin to love for Irene Adler. All emotions, and that
one particularly, were abhorrent to his cold, precise but admirably balanced mind.

He was, I take it, the most perfect reasoning and observing machine that the world has seen, but as a lover he would have placed
himself in a false position. He never spoke of the softer passions, save with a gibe and a sneer. They were admirable things for
the observer—excellent for drawing the veil from men’s motives and actions.

But for the trained reasoner to admit such intrusions into his own delicate and finely adjusted temperament was to introduce a
distracting factor which might throw a doubt upon all his mental results. Grit in a sensitive instrument, or a crack in one of
his own high-power lenses, would not be more disturbing than a strong emotion in a nature such as his. And yet there was but one
woman to him, and that woman was the late Irene Adler, of dubious and questionable memory.
'''),
    'worlds': story('The Eve of the War', 'H. G. Wells', '1898-01-01', '''
No one would have believed in the last years of the nineteenth century that this world was being watched keenly and closely by
intelligences greater than man’s and yet as mortal as his own; that as men busied themselves about their various concerns they
were scrutinised and studied, perhaps almost as narrowly as a man with a microscope might scrutinise the transient creatures
that swarm and multiply in a drop of water.

With infinite complacency men went to and fro over this globe about their little affairs, serene in their assurance of their
empire over matter. It is possible that the infusoria under the microscope do the same. No one gave a thought to the older
worlds of space as sources of human danger, or thought of them only to dismiss the idea of life upon them as impossible or
improbable.

It is curious to recall some of the mental habits of those departed days. At most terrestrial men fancied there might be other
men upon Mars, perhaps inferior to themselves and ready to welcome a missionary enterprise. Yet across the gulf of space, minds
that are to our minds as ours are to those of the beasts that perish, intellects vast and cool and unsympathetic, regarded this
earth with envious eyes, and slowly and surely drew their plans against us.
'''),
    'fables': story('Three Fables of Æsop', 'G. F. Townsend', '1867-01-01', '''
A famished Fox saw some clusters of ripe black grapes hanging from a trellised vine. She resorted to all her tricks to get at
them, but wearied herself in vain, for she could not reach them. At last she turned away, hiding her disappointment and saying:
“The Grapes are sour, and not ripe as I thought.”

A Hare one day ridiculed the short feet and slow pace of the Tortoise, who replied, laughing: “Though you be swift as the wind, I
will beat you in a race.” The Hare, believing her assertion to be simply impossible, assented to the proposal; and they agreed
that the Fox should choose the course and fix the goal. On the day appointed for the race the two started together. The Tortoise
never for a moment stopped, but went on with a slow but steady pace straight to the end of the course.

A Crow perishing with thirst saw a pitcher, and hoping to find water, flew to it with delight. When he reached it, he discovered
to his grief that it contained so little water that he could not possibly get at it. He tried everything he could think of to
reach the water, but all his efforts were in vain. At last he collected as many stones as he could carry and dropped them one by
one with his beak into the pitcher, until he brought the water within his reach and thus saved his life.
'''),
    'walden': story('Where I Lived', 'Henry David Thoreau', '1854-08-09', '''
I went to the woods because I wished to live deliberately, to front only the essential facts of life, and see if I could not
learn what it had to teach, and not, when I came to die, discover that I had not lived. I did not wish to live what was not
life, living is so dear; nor did I wish to practise resignation, unless it was quite necessary.

I wanted to live deep and suck out all the marrow of life, to live so sturdily and Spartan-like as to put to rout all that was
not life, to cut a broad swath and shave close, to drive life into a corner, and reduce it to its lowest terms, and, if it
proved to be mean, why then to get the whole and genuine meanness of it, and publish its meanness to the world; or if it were
sublime, to know it by experience, and be able to give a true account of it in my next excursion.

Time is but the stream I go a-fishing in. I drink at it; but while I drink I see the sandy bottom and detect how shallow it is.
Its thin current slides away, but eternity remains. I would drink deeper; fish in the sky, whose bottom is pebbly with stars.
'''),

    # -- invented news --
    'ferry': story('Night ferry returns to Saltmouth after nine years', 'Ida Marsh', '2026-02-11', '''
The night ferry between Saltmouth and the outer islands will sail again from the first of April, nine years after the last boat
was sold for scrap. The harbour board voted seven to two on Tuesday evening to lease a refitted vessel for three seasons, and to
rebuild the small pier below the customs house where passengers used to wait under a tin roof.

Residents of the islands have asked for the crossing since the bridge plan was dropped. At present a patient with a broken leg
waits for the morning mail boat, and children who attend the secondary school lodge in town from Monday to Friday. “We never
wanted a bridge,” said the oldest speaker at the meeting, who keeps bees on the smallest island. “We wanted a light on the
water at ten o’clock.”

The vessel carries eighty passengers and twelve cars and burns about half as much fuel as her predecessor. Tickets will cost the
same in winter and in summer, a point on which the board’s treasurer gave way only after midnight. If the boat is more than half
full on an average night she will pay for herself; if not, the town will have to find a hundred and forty thousand a year.
'''),
    'clock': story('Town clock to run backwards for one week', 'Piet Vandermolen', '2026-02-14', '''
For seven days in March the hands of the clock above the corn exchange will travel the wrong way round. The reason is not a
festival but a worn gear: the only way to grind its teeth smooth, the clockmaker explained, is to let the movement turn in the
opposite direction under its own weight, slowly, while a paste of oil and fine sand does the work.

The council considered covering the dial with a sheet and decided against it. A sheet would cost more than the repair, and the
clerk argued that people who had lived here all their lives would know what time it was in any case. A board at the foot of the
tower will show a small table that turns the displayed hour into the true one.

The clock was a gift of a grain merchant who had made his money in a single wet autumn. It has stopped four times in a hundred
and thirty years: once for snow, once for a royal visit, and twice for pigeons. The present clockmaker, the fourth of her
family to hold the key, says that after the treatment the movement should last until her granddaughter retires.
'''),
    'library': story('Library counts its books by hand and finds 212 too many', 'Ida Marsh', '2026-02-17', '''
The public library closed for three days last week so that forty volunteers could count every book on its shelves by hand. The
catalogue held sixty-one thousand and eight titles. The volunteers, working in pairs and calling the numbers aloud, arrived at
two hundred and twelve more, and nobody could say at first where the extra volumes had come from.

The answer turned out to be generosity. For years readers had been slipping their own books on to the shelves, in the right
places and with hand-written labels that imitated the library’s so well that the staff never noticed. Among the gifts are a first
edition on the breeding of carrier pigeons, nine copies of the same cookery book, and a novel that exists nowhere else because
its author, a retired postman, printed it himself.

The librarian has decided to keep all of them. They will be entered in the catalogue in the spring, with the donor’s name given
as unknown. “A library that grows while you sleep is not a problem,” she said, “it is a compliment.” The next count is planned
for the year after next, and the number of volunteers who have asked to take part has already passed one hundred.
'''),
    'bees': story('Beekeepers ask drivers to slow down in the lime avenue', 'Noor Castellan', '2026-02-19', '''
When the lime trees along the station road are in flower, some four million bees cross the carriageway every hour at the height
of a car’s windscreen. The beekeepers’ association has asked the county for a lower speed limit during those three weeks, and
the county, after some laughter in the committee room, has agreed to try it.

A study by two pupils of the technical school persuaded the members. Over ten warm afternoons they counted dead bees on a strip
of white cloth laid beside the road, first with traffic at seventy and then with traffic slowed to forty by a parked tractor.
At the lower speed the number fell by nine tenths, because the insects are carried over the bonnet by the stream of air instead
of being thrown against the glass.

The signs will show a bee and a number and nothing else. They will be folded away when the last blossom has dropped, which a
retired forester will decide by looking. Drivers lose about fifty seconds on the whole length of the avenue. Honey from the
station road won a second prize last year, and the association expects to be able to offer more of it than before.
'''),
    'bakery': story('Bakers agree on a common loaf for power cuts', 'Noor Castellan', '2026-02-23', '''
The nine bakeries of the valley have agreed on a recipe that each of them can bake without electricity. The loaf needs flour,
water, salt and a wood-fired oven, of which three are left in working order, and it keeps for eight days in a cloth. The
agreement was signed on the long table of the oldest bakery, with flour still on it.

The idea came up after the storm of last November, when the valley had no power for thirty hours and people stood outside dark
shops that were full of dough. In future the bakers will carry their dough to the three ovens by van or, if the road is closed,
by sledge. A rota says who fires which oven, and the mountain rescue has been given a copy.

Nobody expects to earn anything. The price has been fixed at what the flour costs, and a stamp on the crust shows that it is the
common loaf and not somebody’s own. At the tasting the jury of children found it rather hard, and asked for more butter.
'''),

    # -- other languages --
    'corbeau': story('Le Corbeau et le Renard', 'Jean de La Fontaine', '1668-03-31', '''
Maître Corbeau, sur un arbre perché, tenait en son bec un fromage. Maître Renard, par l’odeur alléché, lui tint à peu près ce
langage : « Hé ! bonjour, Monsieur du Corbeau. Que vous êtes joli ! que vous me semblez beau ! Sans mentir, si votre ramage se
rapporte à votre plumage, vous êtes le Phénix des hôtes de ces bois. »

À ces mots le Corbeau ne se sent pas de joie ; et pour montrer sa belle voix, il ouvre un large bec, laisse tomber sa proie. Le
Renard s’en saisit, et dit : « Mon bon Monsieur, apprenez que tout flatteur vit aux dépens de celui qui l’écoute : cette leçon
vaut bien un fromage, sans doute. » Le Corbeau, honteux et confus, jura, mais un peu tard, qu’on ne l’y prendrait plus.
''', 'fr'),
    'candide': story('Comment Candide fut élevé dans un beau château', 'Voltaire', '1759-01-15', '''
Il y avait en Vestphalie, dans le château de monsieur le baron de Thunder-ten-tronckh, un jeune garçon à qui la nature avait
donné les mœurs les plus douces. Sa physionomie annonçait son âme. Il avait le jugement assez droit, avec l’esprit le plus
simple ; c’est, je crois, pour cette raison qu’on le nommait Candide.

Monsieur le baron était un des plus puissants seigneurs de la Vestphalie, car son château avait une porte et des fenêtres. Sa
grande salle même était ornée d’une tapisserie. Tous les chiens de ses basses-cours composaient une meute dans le besoin ; ses
palefreniers étaient ses piqueurs ; le vicaire du village était son grand aumônier. Ils l’appelaient tous monseigneur, et ils
riaient quand il faisait des contes.
''', 'fr'),
    'verwandlung': story('Die Verwandlung', 'Franz Kafka', '1915-10-01', '''
Als Gregor Samsa eines Morgens aus unruhigen Träumen erwachte, fand er sich in seinem Bett zu einem ungeheueren Ungeziefer
verwandelt. Er lag auf seinem panzerartig harten Rücken und sah, wenn er den Kopf ein wenig hob, seinen gewölbten, braunen, von
bogenförmigen Versteifungen geteilten Bauch, auf dessen Höhe sich die Bettdecke, zum gänzlichen Niedergleiten bereit, kaum noch
erhalten konnte. Seine vielen, im Vergleich zu seinem sonstigen Umfang kläglich dünnen Beine flimmerten ihm hilflos vor den
Augen.

»Was ist mit mir geschehen?« dachte er. Es war kein Traum. Sein Zimmer, ein richtiges, nur etwas zu kleines Menschenzimmer, lag
ruhig zwischen den vier wohlbekannten Wänden. Über dem Tisch, auf dem eine auseinandergepackte Musterkollektion von Tuchwaren
ausgebreitet war – Samsa war Reisender –, hing das Bild, das er vor kurzem aus einer illustrierten Zeitschrift ausgeschnitten und
in einem hübschen, vergoldeten Rahmen untergebracht hatte.
''', 'de'),
    'quijote': story('En un lugar de la Mancha', 'Miguel de Cervantes', '1605-01-16', '''
En un lugar de la Mancha, de cuyo nombre no quiero acordarme, no ha mucho tiempo que vivía un hidalgo de los de lanza en
astillero, adarga antigua, rocín flaco y galgo corredor. Una olla de algo más vaca que carnero, salpicón las más noches, duelos y
quebrantos los sábados, lentejas los viernes, algún palomino de añadidura los domingos, consumían las tres partes de su hacienda.

Frisaba la edad de nuestro hidalgo con los cincuenta años; era de complexión recia, seco de carnes, enjuto de rostro, gran
madrugador y amigo de la caza. Quieren decir que tenía el sobrenombre de Quijada, o Quesada, que en esto hay alguna diferencia en
los autores que deste caso escriben, aunque por conjeturas verosímiles se deja entender que se llamaba Quejana.
''', 'es'),
    'kapitan': story('Капитанская дочка', 'Александр Пушкин', '1836-12-22', '''
Отец мой Андрей Петрович Гринев в молодости своей служил при графе Минихе и вышел в отставку премьер-майором в 17.. году. С тех
пор жил он в своей Симбирской деревне, где и женился на девице Авдотье Васильевне Ю., дочери бедного тамошнего дворянина. Нас
было девять человек детей. Все мои братья и сестры умерли во младенчестве.

Матушка была еще мною брюхата, как уже я был записан в Семеновский полк сержантом, по милости майора гвардии князя Б., близкого
нашего родственника. Если бы паче всякого чаяния матушка родила дочь, то батюшка объявил бы куда следовало о смерти неявившегося
сержанта, и дело тем бы и кончилось.
''', 'ru'),
    'lukomorye': story('У лукоморья дуб зеленый', 'Александр Пушкин', '1828-01-01', '''
У лукоморья дуб зеленый; златая цепь на дубе том: и днем и ночью кот ученый всё ходит по цепи кругом; идет направо — песнь
заводит, налево — сказку говорит. Там чудеса: там леший бродит, русалка на ветвях сидит; там на неведомых дорожках следы
невиданных зверей; избушка там на курьих ножках стоит без окон, без дверей.

Там лес и дол видений полны; там о заре прихлынут волны на брег песчаный и пустой, и тридцать витязей прекрасных чредой из вод
выходят ясных, и с ними дядька их морской; там королевич мимоходом пленяет грозного царя; там в облаках перед народом через леса,
через моря колдун несет богатыря.
''', 'ru'),
    'daodejing': story('道德经', '老子', '', '''
道可道，非常道。名可名，非常名。无名天地之始；有名万物之母。故常无欲，以观其妙；常有欲，以观其徼。此两者，同出而异名，同谓之玄。玄之又玄，众妙之门。

天下皆知美之为美，斯恶已。皆知善之为善，斯不善已。故有无相生，难易相成，长短相形，高下相倾，音声相和，前后相随。是以圣人处无为之事，行不言之教；
万物作焉而不辞，生而不有，为而不恃，功成而弗居。夫唯弗居，是以不去。

上善若水。水善利万物而不争，处众人之所恶，故几于道。居善地，心善渊，与善仁，言善信，正善治，事善能，动善时。夫唯不争，故无尤。
''', 'zh'),
    'neko': story('吾輩は猫である', '夏目漱石', '1905-01-01', '''
吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。
吾輩はここで始めて人間というものを見た。しかもあとで聞くとそれは書生という人間中で一番獰悪な種族であったそうだ。

この書生というのは時々我々を捕えて煮て食うという話である。しかしその当時は何という考もなかったから別段恐しいとも思わなかった。
ただ彼の掌に載せられてスーと持ち上げられた時何だかフワフワした感じがあったばかりである。
掌の上で少し落ちついて書生の顔を見たのがいわゆる人間というものの見始であろう。
''', 'ja'),
    'jindallae': story('진달래꽃', '김소월', '1925-12-26', '''
나 보기가 역겨워 가실 때에는 말없이 고이 보내 드리우리다. 영변에 약산 진달래꽃 아름 따다 가실 길에 뿌리우리다. 가시는 걸음 걸음 놓인 그 꽃을
사뿐히 즈려밟고 가시옵소서. 나 보기가 역겨워 가실 때에는 죽어도 아니 눈물 흘리우리다.
''', 'ko'),
    'maew': story('แมวกับตลาดเช้า', '', '2026-02-20', '''
แมวสีเทาตัวหนึ่งอาศัยอยู่ในตลาดริมแม่น้ำ ทุกเช้าก่อนพระอาทิตย์ขึ้น มันเดินไปตามแผงขายปลา ขายผัก และขายขนม คนขายทุกคนรู้จักมันดี
และให้อาหารมันเล็กน้อยเสมอ แมวตัวนี้ไม่เคยขโมยของใครเลย

วันหนึ่งฝนตกหนักมาก น้ำในแม่น้ำสูงขึ้นอย่างรวดเร็ว แมวร้องเสียงดังหน้าบ้านของคนขายปลา เขาตื่นขึ้นมาและเห็นน้ำกำลังไหลเข้าตลาด
เขาจึงรีบเรียกเพื่อนบ้านมาช่วยกันขนของขึ้นที่สูง ตั้งแต่วันนั้นมา แมวสีเทาได้กินปลาตัวใหญ่ทุกวัน
''', 'th'),
    'qitta': story('القطة والمكتبة', '', '2026-02-21', '''
كانت قطة صغيرة تعيش في مكتبة قديمة قرب الميناء، وكانت تنام كل ليلة فوق كتاب كبير عن البحار. كان الناس يأتون إلى المكتبة في
الصباح ليقرأوا الصحف ويشربوا الشاي، وكانت القطة تجلس بجانبهم وتنظر إلى الصور في هدوء.

في يوم من الأيام جاء رجل غريب وسأل عن كتاب لا يعرفه أحد، فذهبت القطة إلى الرف الأخير ووقفت أمام كتاب أزرق مغطى بالغبار. فتح
الرجل الكتاب وابتسم وقال إنه يبحث عنه منذ عشرين سنة، ومنذ ذلك اليوم صار للقطة كرسي خاص بجانب النافذة.
''', 'ar'),
}

# Light edits, as an editor of another paper would make them.
EDITS = {
    'alice': [('very tired', 'rather tired'), ('hot day', 'warm day'), ('large rabbit-hole', 'big rabbit-hole')],
    'moby': [('Some years ago', 'A few years ago'), ('watery part', 'wet part'), ('noble mole', 'fine mole')],
    'ferry': [('nine years after', 'nine years since'), ('Tuesday evening', 'Tuesday night'), ('a tin roof', 'a small tin roof'),
              ('a hundred and forty thousand', '140,000')],
    'library': [('forty volunteers', '40 volunteers'), ('three days last week', 'three days'), ('a compliment.”', 'praise.”')],
    'worlds': [('keenly and closely', 'closely and keenly'), ('their little affairs', 'their small affairs')],
    'fables': [('A famished Fox', 'A hungry Fox'), ('with delight', 'with great joy')],
    'bees': [('four million', 'several million'), ('some laughter', 'much laughter')],
}


def edited(name):
    """The story as another paper prints it: its own headline, a few words changed."""
    told = STORIES[name]
    text = '\n\n'.join(told.paragraphs)
    for old, new in EDITS[name]:
        assert old in text, old
        text = text.replace(old, new)
    return told._replace(title=told.title + ', told again', paragraphs=text.split('\n\n'))
