"""Writes 1,000 replies of judges whose verdict is known: python3 lab/judging/synthetic_replies.py replies.jsonl
Then: cargo run -p meshjudge-lab-judging --bin read_replies -- replies.jsonl --show

Written by someone who had not seen the reader or its tables. Standard library only; the same bytes every time."""
import json, random, sys
from collections import Counter
R = random.Random(20261138)
C = R.choice
LANGS = ['en'] * 50 + ['de'] * 8 + ['fr'] * 7 + ['es'] * 7 + ['zh'] * 9 + ['ja'] * 7 + ['ko'] * 6 + ['pt'] * 6
KEYS = ['position_accuracy', 'occlusion_management', 'perspective_consistency', 'overall_score']
PKEYS = ['text_asset_alignment', 'plausibility', 'geometry_texture_alignment', 'texture_details', 'geometry_details', 'overall']

# ---------------------------------------------------------------- language data
# crit: six names; l/r: what is seen; v: verdict words (1,2,3); fa/fs: labels; think: musing; doubt; intro; close; back: retraction
L = {}
L['en'] = dict(
 crit=['Match with the text prompt', '3D plausibility', 'Agreement of geometry and texture', 'Fine texture detail', 'Fine geometry detail', 'Overall'],
 l=['The left object shows a wooden chair with 4 legs, though the vase is missing.', 'The left one has a second face on its back, visible in views 2 and 3.', 'On the left, the buttons are only painted on; the normal map is flat there.', 'The left surface is sharp, with clear wood grain.', 'Left: noisy normals, about 10 small bumps along the rim.', 'The left model is well proportioned and solid.', 'The label painted on the left object reads "LOT 3 1 2".', 'Left: 3 of the 4 wheels touch the ground.'],
 r=['The right object has both the chair and the vase, with the colours asked for.', 'The right one could stand in the real world; nothing floats.', 'On the right, edges in the RGB views line up with the normals.', 'The right one is blurry, roughly 20% of it smeared.', 'Right: smooth where it should be smooth, crisp at the seams.', 'The right model has 5 legs, one of them detached.', 'The right object carries the number "42" on its door.', 'Right: the handle is hollow and half of it is gone.'],
 v=['The left one is better', 'The right one is better', 'Cannot decide'], fa='Final answer', fs='Final score',
 think=['Okay, let me look at both pictures.', 'First impression: the left seems stronger on shape, but the normal map tells a different story.', 'Hmm, wait, view 3 shows a hole near the base.', 'Let me check again, there are 2 handles in the photo but only 1 in the rendering.', 'I should compare the 4 views one at a time.', 'The prompt asks for a chair beside a vase.'],
 draft='A first try:', doubt='But no, that does not look right, because the second view has', intro=['Here is my evaluation.', 'I compared all views carefully.', 'Sure! Here is the analysis.', ''],
 close=['Let me know if you would like more detail on any criterion.', 'I hope this helps!', 'This judgement rests on the views provided.'],
 back='Wait, I mixed something up there. Please disregard the answer above; I cannot stand by it.',
 rec=['The highlighted object is a wooden stool with 3 legs and a round seat.', 'Shape fidelity: the seat is round as in the photo, the legs taper slightly.', 'Proportionality: height to width is about 2:1 in the photo and close to that in the rendering.', 'Completeness: the rear leg is shorter than it should be.', 'No artifact: a small floater near the top view, otherwise clean.', 'The object is a ceramic mug; from the side one would expect a cylinder with 1 handle.', 'Shape fidelity: the handle is merged with the body.', 'Completeness: nothing is missing apart from the inside of the spout.', 'The mug carries the printed text "EST. 1932".', 'No artifact: a thin slab of ground remains below.'],
 recwhy={'1': 'Large parts are missing and the shape can hardly be recognised.', '2': 'It is recognisable, but flawed in places.', '3': 'Hardly a flaw; the overall dimensions agree with the photo.'}, w={'1': 'Poor', '2': 'Fair', '3': 'Good'},
 cat=[['The vase stands to the right of the chair, as asked.', 'The cup is below the shelf, though a little off.', 'Both things are where the prompt puts them; 1 of 2 is slightly shifted.'], ['Only about 10% of the vase is hidden.', 'The overlap is natural and positions stay readable.', 'A chair leg hides part of the label "No. 7".'], ['Shadows and vanishing lines agree.', 'The far object is drawn too large, about 1.5 times.', 'Depth cues are sound overall.']],
 refuse=["I'm sorry, but I can't evaluate these images.", "I can't see any pictures in this conversation, so I am unable to judge.", 'I apologise, but I am not able to provide a rating for this content.'],
 echo='The answer must follow this form, e.g.', scale='The scale is 3 = good, 2 = fair, 1 = poor.', two=('If colour counts most', 'If geometry counts most'), obj=('Left object', 'Right object'))
L['de'] = dict(
 crit=['Übereinstimmung mit dem Prompt', '3D-Plausibilität', 'Übereinstimmung von Geometrie und Textur', 'Feine Texturdetails', 'Feine Geometriedetails', 'Gesamt'],
 l=['Das linke Objekt zeigt einen Stuhl mit 4 Beinen, aber keine Vase.', 'Links gibt es ein zweites Gesicht auf der Rückseite.', 'Links ist die Oberfläche scharf, die Maserung klar.', 'Links steht "Nr. 3" auf der Tür.'],
 r=['Rechts sind Stuhl und Vase vorhanden.', 'Das rechte Objekt ist unscharf und hat 2 Löcher.', 'Rechts stimmen Kanten und Normalen überein.', 'Rechts schweben 3 kleine Teile in der Luft.'],
 v=['Das linke ist besser', 'Das rechte ist besser', 'Nicht zu entscheiden'], fa='Endgültige Antwort', fs='Endnote',
 think=['Also, ich sehe mir beide Objekte an.', 'Moment, in Ansicht 3 ist ein Loch.', 'Der Prompt verlangt 2 Dinge.'], draft='Erster Versuch:', doubt='Aber nein, das stimmt nicht, denn das rechte hat', intro=['Hier ist meine Bewertung.', ''],
 close=['Bei Fragen gebe ich gern weitere Einzelheiten.', 'Ich hoffe, das hilft!'], back='Moment, da habe ich etwas verwechselt. Bitte die Antwort oben nicht werten, ich nehme sie zurück.',
 rec=['Das markierte Objekt ist ein Hocker mit 3 Beinen.', 'Formtreue: Der Sitz ist rund wie im Foto.', 'Proportionen: etwa 2:1 wie im Foto.', 'Vollständigkeit: Ein Bein ist zu kurz.', 'Artefakte: ein kleines schwebendes Teil.'],
 recwhy={'1': 'Große Teile fehlen.', '2': 'Erkennbar, aber mit Fehlern.', '3': 'Fast ohne Fehler.'}, w={'1': 'schlecht', '2': 'mittel', '3': 'gut'},
 cat=[['Die Vase steht rechts vom Stuhl.', 'Beide Dinge stehen richtig.'], ['Nur etwa 10 % sind verdeckt.'], ['Schatten und Fluchtlinien passen.']],
 refuse=['Es tut mir leid, aber ich kann diese Bilder nicht bewerten.'], echo='Die Antwort soll so aussehen, z. B.', scale='Die Skala ist 3 = gut, 2 = mittel, 1 = schlecht.', two=('Wenn die Farbe zählt', 'Wenn die Geometrie zählt'), obj=('Linkes Objekt', 'Rechtes Objekt'))
L['fr'] = dict(
 crit=['Conformité au texte', 'Plausibilité 3D', 'Accord entre géométrie et texture', 'Détails fins de la texture', 'Détails fins de la géométrie', 'Ensemble'],
 l=["L'objet de gauche montre une chaise à 4 pieds, sans vase.", 'À gauche, la surface est nette.', "À gauche, un second visage apparaît au dos.", 'À gauche, on lit « N° 3 » sur la porte.'],
 r=["L'objet de droite contient la chaise et le vase.", 'À droite, la texture est floue.', 'À droite, les arêtes suivent les normales.', 'À droite, 2 morceaux flottent.'],
 v=["L'objet de gauche est meilleur", "L'objet de droite est meilleur", 'Impossible de trancher'], fa='Réponse finale', fs='Note finale',
 think=['Voyons les deux objets.', 'Attendez, la vue 3 montre un trou.', 'Le texte demande 2 choses.'], draft='Premier essai :', doubt="Mais non, ce n'est pas juste, car l'objet de droite a", intro=['Voici mon évaluation.', ''],
 close=["N'hésitez pas à me demander plus de détails.", "J'espère que cela vous aide !"], back="Attendez, je me suis trompé. Ne tenez pas compte de la réponse ci-dessus, je la retire.",
 rec=["L'objet surligné est un tabouret à 3 pieds.", 'Fidélité de la forme : le siège est rond.', 'Proportions : environ 2:1 comme sur la photo.', 'Complétude : un pied est trop court.', 'Artefacts : un petit morceau flottant.'],
 recwhy={'1': 'De grandes parties manquent.', '2': 'Reconnaissable, mais imparfait.', '3': 'Presque sans défaut.'}, w={'1': 'mauvais', '2': 'moyen', '3': 'bon'},
 cat=[['Le vase est à droite de la chaise.', 'Les deux objets sont bien placés.'], ['Seuls 10 % environ sont cachés.'], ['Les ombres et la perspective concordent.']],
 refuse=['Je suis désolé, mais je ne peux pas évaluer ces images.'], echo='La réponse doit suivre cette forme, par exemple', scale="L'échelle est 3 = bon, 2 = moyen, 1 = mauvais.", two=('Si la couleur prime', 'Si la géométrie prime'), obj=('Objet de gauche', 'Objet de droite'))
L['es'] = dict(
 crit=['Correspondencia con el texto', 'Plausibilidad 3D', 'Concordancia entre geometría y textura', 'Detalle fino de la textura', 'Detalle fino de la geometría', 'General'],
 l=['El objeto de la izquierda muestra una silla de 4 patas, sin jarrón.', 'A la izquierda la superficie es nítida.', 'A la izquierda hay una segunda cara en la espalda.', 'A la izquierda se lee "N.º 3".'],
 r=['El de la derecha tiene la silla y el jarrón.', 'A la derecha la textura es borrosa.', 'A la derecha los bordes coinciden con las normales.', 'A la derecha flotan 2 trozos.'],
 v=['El izquierdo es mejor', 'El derecho es mejor', 'No se puede decidir'], fa='Respuesta final', fs='Puntuación final',
 think=['Veamos los dos objetos.', 'Espera, la vista 3 tiene un agujero.', 'El texto pide 2 cosas.'], draft='Primer intento:', doubt='Pero no, no es correcto, porque el de la derecha tiene', intro=['Esta es mi evaluación.', ''],
 close=['Avísame si necesitas más detalles.', '¡Espero que ayude!'], back='Espera, me he confundido. No tengas en cuenta la respuesta anterior; la retiro.',
 rec=['El objeto resaltado es un taburete de 3 patas.', 'Fidelidad de forma: el asiento es redondo.', 'Proporciones: cerca de 2:1 como en la foto.', 'Integridad: una pata es demasiado corta.', 'Artefactos: un pequeño trozo flotante.'],
 recwhy={'1': 'Faltan partes grandes.', '2': 'Se reconoce, pero con defectos.', '3': 'Casi sin defectos.'}, w={'1': 'malo', '2': 'regular', '3': 'bueno'},
 cat=[['El jarrón está a la derecha de la silla.', 'Ambas cosas están bien colocadas.'], ['Solo un 10 % queda oculto.'], ['Las sombras y la perspectiva concuerdan.']],
 refuse=['Lo siento, pero no puedo evaluar estas imágenes.'], echo='La respuesta debe tener esta forma, por ejemplo', scale='La escala es 3 = bueno, 2 = regular, 1 = malo.', two=('Si importa el color', 'Si importa la geometría'), obj=('Objeto izquierdo', 'Objeto derecho'))
L['pt'] = dict(
 crit=['Correspondência com o texto', 'Plausibilidade 3D', 'Concordância entre geometria e textura', 'Detalhe fino da textura', 'Detalhe fino da geometria', 'Geral'],
 l=['O objeto da esquerda mostra uma cadeira de 4 pernas, sem vaso.', 'À esquerda a superfície é nítida.', 'À esquerda há um segundo rosto nas costas.', 'À esquerda lê-se "N.º 3".'],
 r=['O da direita tem a cadeira e o vaso.', 'À direita a textura é desfocada.', 'À direita as arestas coincidem com as normais.', 'À direita flutuam 2 pedaços.'],
 v=['O da esquerda é melhor', 'O da direita é melhor', 'Não é possível decidir'], fa='Resposta final', fs='Pontuação final',
 think=['Vamos ver os dois objetos.', 'Espere, a vista 3 tem um buraco.', 'O texto pede 2 coisas.'], draft='Primeira tentativa:', doubt='Mas não, isso não está certo, porque o da direita tem', intro=['Aqui está a minha avaliação.', ''],
 close=['Avise se quiser mais detalhes.', 'Espero que ajude!'], back='Espere, eu me confundi. Desconsidere a resposta acima; eu a retiro.',
 rec=['O objeto destacado é um banco de 3 pernas.', 'Fidelidade da forma: o assento é redondo.', 'Proporções: cerca de 2:1 como na foto.', 'Completude: uma perna é curta demais.', 'Artefatos: um pequeno pedaço flutuante.'],
 recwhy={'1': 'Faltam partes grandes.', '2': 'Reconhecível, mas com falhas.', '3': 'Quase sem falhas.'}, w={'1': 'ruim', '2': 'regular', '3': 'bom'},
 cat=[['O vaso está à direita da cadeira.', 'As duas coisas estão bem colocadas.'], ['Só cerca de 10 % está oculto.'], ['As sombras e a perspectiva concordam.']],
 refuse=['Sinto muito, mas não posso avaliar estas imagens.'], echo='A resposta deve ter esta forma, por exemplo', scale='A escala é 3 = bom, 2 = regular, 1 = ruim.', two=('Se a cor importa', 'Se a geometria importa'), obj=('Objeto da esquerda', 'Objeto da direita'))
L['zh'] = dict(
 crit=['与文本提示的匹配', '三维合理性', '几何与纹理的一致性', '纹理细节', '几何细节', '总体'],
 l=['左边的物体是一把有4条腿的椅子,没有花瓶。', '左边的表面清晰。', '左边背面出现了第二张脸。', '左边门上写着“3号”。'],
 r=['右边同时有椅子和花瓶。', '右边的纹理模糊。', '右边的边缘与法线一致。', '右边有2个漂浮的碎片。'],
 v=['左边更好', '右边更好', '无法判断'], fa='最终答案', fs='最终得分',
 think=['好的,我先看这两个物体。', '等等,第3个视角有一个洞。', '提示要求2样东西。'], draft='初步判断:', doubt='不对,这样不行,因为右边的', intro=['以下是我的评估。', ''],
 close=['如需更多细节,请告诉我。', '希望对您有帮助!'], back='等等,我弄混了。请忽略上面的答案,我收回它。',
 rec=['高亮的物体是一个三条腿的凳子。', '形状保真度:座面是圆的,与照片一致。', '比例:高宽比约为2:1。', '完整性:后面的一条腿偏短。', '伪影:有一个小的漂浮碎片。'],
 recwhy={'1': '缺少大块部分,难以辨认。', '2': '可以辨认,但有缺陷。', '3': '几乎没有缺陷。'}, w={'1': '差', '2': '一般', '3': '好'},
 cat=[['花瓶在椅子的右边,符合提示。', '两个物体的位置都正确。'], ['只有约10%被遮挡。'], ['阴影和透视一致。']],
 refuse=['抱歉,我无法评估这些图像。'], echo='答案格式应为,例如', scale='评分标准:3 = 好,2 = 一般,1 = 差。', two=('如果更看重颜色', '如果更看重几何'), obj=('左边物体', '右边物体'))
L['ja'] = dict(
 crit=['テキストとの一致', '3Dとしての妥当性', '形状とテクスチャの整合', 'テクスチャの細部', '形状の細部', '総合'],
 l=['左の物体は4本脚の椅子ですが、花瓶がありません。', '左の表面は鮮明です。', '左は背面に2つ目の顔があります。', '左の扉には「3号」と書かれています。'],
 r=['右には椅子と花瓶の両方があります。', '右のテクスチャはぼやけています。', '右の輪郭は法線と一致しています。', '右には浮いた破片が2つあります。'],
 v=['左の方が良い', '右の方が良い', '判断できない'], fa='最終回答', fs='最終スコア',
 think=['まず両方の物体を見てみます。', '待って、3番目の視点に穴があります。', 'プロンプトは2つの物を求めています。'], draft='最初の案:', doubt='いや、これは違う。なぜなら右の', intro=['評価は以下の通りです。', ''],
 close=['詳細が必要でしたらお知らせください。', 'お役に立てば幸いです。'], back='すみません、取り違えました。上の回答は取り消しますので無視してください。',
 rec=['強調された物体は3本脚のスツールです。', '形状の忠実度:座面は写真と同じく円形です。', '比率:高さと幅は約2:1です。', '完全性:後ろの脚が短すぎます。', 'アーティファクト:小さな浮遊片があります。'],
 recwhy={'1': '大きな部分が欠けています。', '2': '認識できますが欠点があります。', '3': 'ほとんど欠点がありません。'}, w={'1': '不良', '2': '普通', '3': '良好'},
 cat=[['花瓶は椅子の右側にあります。', '両方とも正しい位置です。'], ['隠れているのは約10%だけです。'], ['影と遠近感は一致しています。']],
 refuse=['申し訳ありませんが、これらの画像を評価することはできません。'], echo='回答の形式は例えば次の通りです', scale='尺度は 3 = 良好、2 = 普通、1 = 不良 です。', two=('色を重視する場合', '形状を重視する場合'), obj=('左の物体', '右の物体'))
L['ko'] = dict(
 crit=['텍스트 프롬프트와의 일치', '3D 타당성', '형상과 텍스처의 일치', '텍스처 세부', '형상 세부', '종합'],
 l=['왼쪽 물체는 다리가 4개인 의자이지만 꽃병이 없습니다.', '왼쪽 표면은 선명합니다.', '왼쪽은 뒷면에 두 번째 얼굴이 있습니다.', '왼쪽 문에 "3호"라고 적혀 있습니다.'],
 r=['오른쪽에는 의자와 꽃병이 모두 있습니다.', '오른쪽 텍스처는 흐릿합니다.', '오른쪽 모서리는 노멀과 일치합니다.', '오른쪽에는 떠 있는 조각이 2개 있습니다.'],
 v=['왼쪽이 더 낫습니다', '오른쪽이 더 낫습니다', '판단할 수 없습니다'], fa='최종 답변', fs='최종 점수',
 think=['먼저 두 물체를 살펴보겠습니다.', '잠깐, 3번 시점에 구멍이 있습니다.', '프롬프트는 2가지를 요구합니다.'], draft='첫 시도:', doubt='아니, 이건 맞지 않습니다. 왜냐하면 오른쪽은', intro=['평가는 다음과 같습니다.', ''],
 close=['더 자세한 내용이 필요하면 알려 주세요.', '도움이 되길 바랍니다!'], back='잠깐, 혼동했습니다. 위의 답변은 철회하니 무시해 주세요.',
 rec=['강조된 물체는 다리가 3개인 의자입니다.', '형상 충실도: 좌판은 사진처럼 둥급니다.', '비율: 높이와 너비가 약 2:1입니다.', '완전성: 뒷다리가 너무 짧습니다.', '아티팩트: 작은 부유 조각이 있습니다.'],
 recwhy={'1': '큰 부분이 없습니다.', '2': '알아볼 수 있지만 결함이 있습니다.', '3': '결함이 거의 없습니다.'}, w={'1': '나쁨', '2': '보통', '3': '좋음'},
 cat=[['꽃병은 의자 오른쪽에 있습니다.', '두 물체 모두 올바른 위치입니다.'], ['약 10%만 가려져 있습니다.'], ['그림자와 원근이 일치합니다.']],
 refuse=['죄송하지만 이 이미지를 평가할 수 없습니다.'], echo='답변 형식은 예를 들어', scale='척도는 3 = 좋음, 2 = 보통, 1 = 나쁨입니다.', two=('색을 중시하면', '형상을 중시하면'), obj=('왼쪽 물체', '오른쪽 물체'))
EASTERN = ('zh', 'ja')
def wide(x):
    if isinstance(x, str): return x.replace(',', '\uff0c').replace(':', '\uff1a')
    return type(x)(wide(y) for y in x) if isinstance(x, (list, tuple)) else {k: wide(v) for k, v in x.items()}
for g in EASTERN: L[g] = wide(L[g])
def colon(g): return '\uff1a' if g in EASTERN and R.random() < .7 else (' : ' if g == 'fr' and R.random() < .6 else ': ')
def lab(g, which):  # models often keep the English label
    return L[g][which] if R.random() < .75 else L['en'][which]

# ---------------------------------------------------------------- answers
def pw_truth():
    while True:
        t = ' '.join(C('1112222223') if R.random() < .9 else '3' for _ in range(6))
        if t not in ('1 2 2 3 2 1', '3 3 3 3 3 3') or R.random() < .1: return t
def pw_other(t, avoid_default=False):
    while True:
        d = C(['3 3 3 3 3 3', '1 1 1 1 1 1', '2 2 2 2 2 2']) if R.random() < .35 and not avoid_default else ' '.join(C('1223') for _ in range(6))
        if d != t: return d
def cat_truth():
    v = [C([4, 5, 6, 7, 7, 8, 8, 8, 9, 9, 10, 3, 0]) for _ in range(3)]
    if R.random() < .2: v[R.randrange(3)] += .5 if max(v) < 10 else -.5
    v = [min(10, max(0, x)) for x in v]
    o = round(sum(v) / 3) if R.random() < .6 else (round(sum(v) / 3 * 2) / 2 if R.random() < .7 else C([5, 6, 7, 8]))
    v = [int(x) if x == int(x) else x for x in v + [o]]
    return dict(zip(KEYS, v))
def cat_other(t):
    while True:
        d = cat_truth()
        if sum(d[k] != t[k] for k in KEYS) >= 2: return d
def other(rub, t): return pw_other(t) if rub == 'pairwise' else C([x for x in '123' if x != t]) if rub == 'reconstruction' else cat_other(t)
def new(rub): return pw_truth() if rub == 'pairwise' else C('1222333') if rub == 'reconstruction' else cat_truth()
def plain(rub, t): return t if isinstance(t, str) else json.dumps(t)

def analysis_pw(g, t, short=False):
    d = t.split(); m = L[g]; out = []; style = R.randrange(5)
    if C([0, 1]): i = C(m['intro']); i and out.append(i)
    if short: return '\n'.join(out + [C(m['l']) + ' ' + C(m['r'])])
    for i in range(6):
        body = C(m['l']) + ('' if g in EASTERN else ' ') + C(m['r']); v = m['v'][int(d[i]) - 1]; stop = '。' if g in EASTERN else '.'
        n = m['crit'][i]
        out.append([f'{i+1}. **{n}**: {body} {v}{stop}', f'### {i+1}. {n}\n{body}\n**{v}** ({d[i]})\n', f'{n}{colon(g)}{body} → {d[i]}', f'**{i+1}. {n}**\n- {m["l"][R.randrange(len(m["l"]))]}\n- {C(m["r"])}\n- {v}{stop}', f'{i+1}. {n}\n{body} {v}{stop}\n'][style])
    return '\n'.join(out)
def analysis_rec(g, t):
    m = L[g]; s = R.sample(m['rec'], R.randint(3, min(5, len(m['rec']))))
    s.append(m['recwhy'][t]); style = R.randrange(3)
    if style == 1: s = ['- ' + x for x in s]
    if style == 2: s = [f'{i+1}. {x}' for i, x in enumerate(s)]
    i = C(m['intro'])
    return '\n'.join(([i] if i and C([0, 1]) else []) + s)

def f_pw(g, t, fam):
    """(answer text, name of the form) for pairwise; analysis included"""
    a = analysis_pw(g, t, short=R.random() < .25); fa = lab(g, 'fa'); c = colon(g); d = t.split()
    obj = json.dumps(dict(zip(PKEYS, map(int, d))))
    forms = [
     (22, 'bare', lambda: f'{a}\n\n{t}'), (14, 'label', lambda: f'{a}\n\n{fa}{c}{t}'), (6, 'label line', lambda: f'{a}\n\n{fa}{c.rstrip()}\n{t}'),
     (6, 'bold', lambda: f'{a}\n\n**{fa}{c.strip()}** {t}'), (4, 'bold all', lambda: f'{a}\n\n**{t}**'), (4, 'bold label', lambda: f'{a}\n\n**{fa}{c}{t}**'),
     (4, 'heading', lambda: f'{a}\n\n### {fa}\n\n{t}'), (4, 'code', lambda: f'{a}\n\n`{t}`'), (4, 'fence', lambda: f'{a}\n\n{fa}{c.rstrip()}\n```\n{t}\n```'),
     (3, 'commas', lambda: f'{a}\n\n{fa}{c}{t.replace(" ", ", ")}'), (2, 'double spaces', lambda: f'{a}\n\n{t.replace(" ", "  ")}'), (2, 'floats', lambda: f'{a}\n\n' + ' '.join(x + '.0' for x in d)),
     (4, 'boxed', lambda: f'{a}\n\n\\boxed{{{t}}}'), (2, 'boxed text', lambda: f'{a}\n\n$\\boxed{{\\text{{{t}}}}}$'), (3, 'list', lambda: f'{a}\n\n{fa}{c}[{t.replace(" ", ", ")}]'),
     (3, 'closing quote', lambda: f'"{a}\n\n{fa}{c}{t}\n"'), (2, 'quoted', lambda: f'{a}\n\n"{t}"'), (2, 'full stop', lambda: f'{a}\n\n{fa}{c}{t}.'),
     (5, 'json', lambda: obj), (4, 'json fence', lambda: f'{a}\n\n```json\n{json.dumps(json.loads(obj), indent=2)}\n```'), (3, 'json final_answer', lambda: json.dumps({'analysis': a, 'final_answer': t}, ensure_ascii=False)),
     (4, 'answer tag', lambda: f'{a}\n\n<answer>{t}</answer>'), (2, 'answer tag only', lambda: f'<answer>\n{t}\n</answer>'), (3, 'box', lambda: f'{a}\n\n<|begin_of_box|>{t}<|end_of_box|>'),
     (5, 'label, then closing', lambda: f'{a}\n\n{fa}{c}{t}\n\n{C(L[g]["close"])}'), (3, 'bare, then closing', lambda: f'{a}\n\n{t}\n\n{C(L[g]["close"])}'),
     (3, 'echo, then answer', lambda: f'{L[g]["echo"]}{c}{pw_other(t)}\n\n{a}\n\n{fa}{c}{t}'), (3, 'draft in sight, then label', lambda: f'{L[g]["think"][0]} {L[g]["draft"]}\n{pw_other(t)}\n\n{a}\n\n{fa}{c}{t}'),
     (2, 'label, then painted number', lambda: f'{a}\n\nFinal answer: {t}\n\nNote: the plate painted on the left object reads "{pw_other(t, True)}"; I took it as decoration.'),
     (3, 'said twice', lambda: f'{fa}{c}{t}\n\n{a}\n\n{t}'), (9, 'digits only', lambda: t), (2, 'quote block', lambda: f'{a}\n\n> {t}'), (2, 'trailing blanks', lambda: f'{a}\n\n{t}  \n\n')]
    return pick(forms)
def pick(forms):
    w = R.choices(forms, [f[0] for f in forms])[0]; return w[2](), w[1]

def f_rec(g, t, fam):
    a = analysis_rec(g, t); fs = lab(g, 'fs'); c = colon(g); w = L[g]['w'][t]; W = L['en']['w'][t]; x = C('123')
    forms = [
     (26, 'bare', lambda: f'{a}\n\n{t}'), (12, 'label', lambda: f'{a}\n\n{fs}{c}{t}'), (5, 'label line', lambda: f'{a}\n\n{fs}{c.rstrip()}\n{t}'), (5, 'bold label', lambda: f'{a}\n\n**{fs}{c}{t}**'),
     (4, 'label bold number', lambda: f'{a}\n\n{fs}{c}**{t}**'), (4, 'bold', lambda: f'{a}\n\n**{t}**'), (4, 'heading', lambda: f'{a}\n\n### {fs}\n{t}'), (4, 'word after', lambda: f'{a}\n\nFinal Score: **{t}** - {W}'),
     (4, 'word in brackets', lambda: f'{a}\n\n{t} ({W} Reconstruction)'), (3, 'label, word', lambda: f'{a}\n\n{fs}{c}{t} ({w})'), (3, 'of 3', lambda: f'{a}\n\n{fs}{c}{t}/3'), (2, 'out of 3', lambda: f'{a}\n\nFinal score: {t} out of 3'),
     (3, 'quoted', lambda: f'{a}\nOverall: {W.lower()}.\n"{t}"'), (3, 'full stop', lambda: f'{a}\n\n{t}.'), (4, 'boxed', lambda: f'{a}\n\n\\boxed{{{t}}}'), (4, 'answer tag', lambda: f'{a}\n\n<answer>{t}</answer>'),
     (3, 'box', lambda: f'{a}\n\n<|begin_of_box|>{t}<|end_of_box|>'), (3, 'json', lambda: json.dumps({'score': int(t), 'explanation': a}, ensure_ascii=False)), (3, 'json fence', lambda: f'```json\n{json.dumps({"reasoning": a, "final_score": int(t)}, ensure_ascii=False, indent=2)}\n```'),
     (4, 'label, then closing', lambda: f'{a}\n\n{fs}{c}{t}\n\n{C(L[g]["close"])}'), (6, 'criteria, then final', lambda: '\n'.join(f'{k}{colon(g)}{C("123")}' for k in ['Shape fidelity', 'Proportionality', 'Completeness', 'No artifact']) + f'\n\n{L[g]["recwhy"][t]}\n\n{fs}{c}{t}'),
     (4, 'criteria, then bare', lambda: '\n'.join(f'- **{k}** ({C("23")}/3)' for k in ['Shape fidelity', 'Proportionality', 'Completeness', 'No artifact']) + f'\n\n{L[g]["recwhy"][t]}\n\n{t}'),
     (3, 'scale, then answer', lambda: f'{L[g]["scale"]}\n\n{a}\n\n{fs}{c}{t}'), (3, 'example named, then bare', lambda: f'Example {x} was scored {C("13")}; this one is judged by the same measure.\n{a}\n\n{t}'), (6, 'digit only', lambda: t), (3, 'code', lambda: f'{a}\n\n`{t}`'),
     (2, 'sentence', lambda: f'{a}\n\nThe final score is **{t}**.'), (3, 'trailing blanks', lambda: f'{a}\n\n{t} \n\n'), (2, 'said twice', lambda: f'**{fs}{c}{t}**\n\n{a}\n\n{t}')]
    return pick(forms)

def exp(g, i): return C(L[g]['cat'][i])
def num(x, kind):
    return {'n': x, 's': str(x), '/': f'{x}/10', ' / ': f'{x} / 10', 'of': f'{x} out of 10', 'f': float(x)}[kind]
def nested(g, t, ek='explanation', sk='score', kind='n', onested=False):
    d = {k: {ek: exp(g, i), sk: num(t[k], kind)} for i, k in enumerate(KEYS[:3])}
    d[KEYS[3]] = {sk: num(t[KEYS[3]], kind), ek: C(L[g]['cat'][2])} if onested else num(t[KEYS[3]], kind)
    return d
def dump(d, indent=None): return json.dumps(d, ensure_ascii=False, indent=indent)
def fence(s): return f'```json\n{s}\n```'
NAMES = {'title': ['Position Accuracy', 'Occlusion Management', 'Perspective Consistency', 'Overall Score'], 'camel': ['positionAccuracy', 'occlusionManagement', 'perspectiveConsistency', 'overallScore'], 'hyphen': ['position-accuracy', 'occlusion-management', 'perspective-consistency', 'overall-score'], 'seen': ['Positional Accuracy', 'Occlusion Management', 'Perspective Consistency', 'overall_score'], 'upper': [k.upper() for k in KEYS]}
def renamed(d, n): return dict(zip(NAMES[n], d.values()))
def f_cat(g, t, fam):
    ind = C([None, 2, 2, 4]); N = nested(g, t); J = lambda d: dump(d, ind); flat = dict(t); m = L[g]
    raw = exp(g, 0)
    forms = [
     (22, 'nested', lambda: J(N)), (16, 'nested fence', lambda: fence(J(N))), (8, 'flat', lambda: J(flat)), (5, 'flat fence', lambda: fence(J(flat))), (4, 'score first', lambda: J({k: {'score': t[k], 'explanation': exp(g, i)} if i < 3 else t[k] for i, k in enumerate(KEYS)})),
     (4, 'strings', lambda: J(nested(g, t, kind='s'))), (4, '8/10', lambda: fence(J(nested(g, t, kind='/')))), (3, '9 out of 10', lambda: J({k: num(t[k], C(['of', 'n'])) for k in KEYS})), (3, 'floats', lambda: J(nested(g, t, kind='f'))),
     (5, 'trailing comma', lambda: fence(dump(N, 2).replace('\n}', ',\n}'))), (4, '// comment', lambda: fence('{\n' + ''.join(f'  "{k}": {t[k]}{"," if i < 3 else ""} // {exp(g, min(i, 2))}\n' for i, k in enumerate(KEYS)) + '}')),
     (4, 'single quotes', lambda: C([str, lambda s: fence(str(s))])(flat)), (4, 'raw line break', lambda: '{"position_accuracy": {"explanation": "' + raw + '\n' + exp(g, 1).replace('"', "'") + '", "score": %s}, "occlusion_management": {"explanation": "-", "score": %s}, "perspective_consistency": {"explanation": "-", "score": %s}, "overall_score": %s}' % tuple(t[k] for k in KEYS)),
     (2, 'NaN beside', lambda: '{"confidence": NaN, ' + dump(flat)[1:]), (4, 'title keys', lambda: J(renamed(N, 'title'))), (2, 'camel keys', lambda: J(renamed(N, 'camel'))), (2, 'hyphen keys', lambda: J(renamed(flat, 'hyphen'))), (3, 'field keys', lambda: fence(J(renamed(N, 'seen')))), (1, 'upper keys', lambda: J(renamed(flat, 'upper'))),
     (4, 'list of aspects', lambda: J({'scores': [{'aspect': k, 'score': t[k], 'explanation': exp(g, i)} for i, k in enumerate(KEYS[:3])], 'overall_score': t[KEYS[3]]})), (3, 'wrapped', lambda: J({C(['evaluation', 'scores', 'result']): N})), (2, 'scores and overall', lambda: J({'scores': {k: t[k] for k in KEYS[:3]}, 'overall_score': t[KEYS[3]]})),
     (3, 'overall nested', lambda: J(nested(g, t, onested=True))), (3, 'reason keys', lambda: J({**{x: y for i, k in enumerate(KEYS[:3]) for x, y in ((k, t[k]), (k + '_explanation', exp(g, i)))}, 'overall_score': t[KEYS[3]]})),
     (6, 'text before', lambda: f'{C([x for x in m["intro"] if x])}\n\n{fence(J(N))}'), (4, 'text before and after', lambda: f'{C([x for x in m["intro"] if x])}\n\n{fence(J(N))}\n\n{C(m["close"])}'), (3, 'text after, no fence', lambda: f'{J(N)}\n\n{C(m["close"])}'),
     (3, 'escaped keys', lambda: J(flat).replace('_', '\\_')), (3, 'answer tag', lambda: f'<answer>{J(N)}</answer>'), (3, 'box', lambda: f'<|begin_of_box|>{dump(N)}<|end_of_box|>'), (2, 'category named', lambda: J({'category': 'position', **N})),
     (2, 'template, then answer', lambda: 'The keys are {"position_accuracy": {"explanation": "...", "score": <0-10>}, "occlusion_management": ..., "perspective_consistency": ..., "overall_score": <0-10>}.\n\n' + fence(J(N))), (2, 'said twice', lambda: f'{J(N)}\n\n{fence(J(N))}'), (2, 'fence without word', lambda: f'```\n{J(N)}\n```'), (2, 'unquoted keys', lambda: fence('{\n' + ',\n'.join(f'  {k}: {t[k]}' for k in KEYS) + '\n}'))]
    return pick(forms)
FORM = {'pairwise': f_pw, 'reconstruction': f_rec, 'category': f_cat}

# ---------------------------------------------------------------- reasoning
def muse(g, rub, t=None, draft=None):
    m = L[g]; s = R.sample(m['think'], R.randint(1, len(m['think'])))
    if draft is not None:
        d = plain(rub, draft)
        if rub == 'category' and R.random() < .3: d = fence(d)
        if rub != 'category' and R.random() < .25: d = f'{m["fa" if rub == "pairwise" else "fs"]}: {d}'
        s.append(f'{m["draft"]}\n{d}'); s.append(C(m['think']) if R.random() < .6 else C(['Hmm, wait.', 'Let me double-check.', 'OK.']))
    return '\n'.join(s)
TAG = {'think': ('<think>', '</think>', 20), 'thinking': ('<thinking>', '</thinking>', 7), 'magistral': ('[THINK]', '[/THINK]', 6), 'kimi': ('◁think▷', '◁/think▷', 6), 'reasoning tag': ('<reasoning>', '</reasoning>', 6), 'seed': ('<seed:think>', '</seed:think>', 4), 'exaone': ('<thought>', '</thought>', 4),
 'open thoughts': ('<|begin_of_thought|>', '<|end_of_thought|>', 3), 'cohere': ('<|START_THINKING|>', '<|END_THINKING|>', 3), 'gemma4': ('<|channel>thought\n', '<channel|>', 4), 'medgemma': ('<unused94>thought\n', '<unused95>', 2), 'longcat': ('<longcat_think>', '</longcat_think>', 2), 'apertus': ('<|inner_prefix|>', '<|inner_suffix|>', 2), 'reflection': ('<reflection>', '</reflection>', 3), 'analysis tag': ('<analysis>', '</analysis>', 2), 'scratchpad': ('<scratchpad>', '</scratchpad>', 2)}
OTHER = {'none': 32, 'field': 22, 'close-only': 9, 'harmony': 8, 'harmony short': 3, 'harmony stripped': 3, 'reflection-70b': 3, 'llava-cot': 3, 'granite 3.2': 3, 'ernie': 3, 'hunyuan': 3, 'nested': 3, 'two blocks': 3, 'empty think': 4, 'ollama cli': 2, 'details': 2, 'think+field': 1}
FAMS = {**{k: v[2] for k, v in TAG.items()}, **OTHER}
CLOSERS = ['</think>'] * 6 + ['◁/think▷', '</thought>', '</seed:think>', '[/THINK]', '</thinking>']
ENDTOK = {'think': ['<|im_end|>', '<|endoftext|>', '<\uff5cend\u2581of\u2581sentence\uff5c>', '</s>'], 'magistral': ['</s>'], 'kimi': ['<|im_end|>'], 'cohere': ['<|END_OF_TURN_TOKEN|>'], 'gemma4': ['<turn|>'], 'medgemma': ['<end_of_turn>'], 'exaone': ['[|endofturn|]'], 'granite 3.2': ['<|end_of_text|>'], 'seed': ['<seed:eos>'], 'apertus': ['<|assistant_end|>'], 'longcat': ['</longcat_s>'], 'ernie': ['</s>'],
 'none': ['<|eot_id|>', '</s>', '<|im_end|>', '<|endoftext|>', '<end_of_turn>', '<eos>', '<|end|>', '<|end_of_text|>', '<|eom_id|>', '<|user|>', '<|eot_id|><|eot_id|>']}
HEADTOK = ['<|im_start|>assistant\n', '<|start_header_id|>assistant<|end_header_id|>\n\n', '<|assistant|>\n', '<start_of_turn>model\n', '<s>', 'ASSISTANT: ', '[/INST] ', '<bos>']
SEP = ['\n\n', '\n', '\n\n', '']
def wrap(fam, g, rub, body, draft):
    """(text, field)"""
    m = muse(g, rub, draft=draft); sep = C(SEP)
    if fam in TAG:
        o, c, _ = TAG[fam]
        nl = '' if o.endswith('\n') else C(['\n', '\n', ''])
        if fam == 'open thoughts': return f'{o}\n{m}\n{c}\n\n<|begin_of_solution|>\n{body}\n<|end_of_solution|>', ''
        if fam == 'cohere': return f'{o}{m}{c}<|START_RESPONSE|>{body}<|END_RESPONSE|>', ''
        if fam == 'seed' and R.random() < .5: m += '\n<seed:cot_budget_reflect>I have used 120 tokens, and there are 392 left.</seed:cot_budget_reflect>\n' + C(L[g]['think'])
        return f'{o}{nl}{m}{C([chr(10), ""])}{c}{sep}{body}', ''
    if fam == 'none': return body, ''
    if fam == 'field': return C(['', '', '\n\n']) + body, m
    if fam == 'close-only': return f'{m}\n{C(CLOSERS)}{sep}{body}', ''
    if fam == 'harmony': return f'<|channel|>analysis<|message|>{m}<|end|><|start|>assistant<|channel|>final<|message|>{body}' + C(['<|return|>', '', '<|end|>']), ''
    if fam == 'harmony short': return f'<|start|>assistant<|channel|>analysis<|message|>{m}<|end|>\n<|start|>assistant<|channel|>final<|message|>{body}', ''
    if fam == 'harmony stripped': return f'analysis{m}assistantfinal{body}', ''
    if fam == 'reflection-70b': return f'<thinking>\n{m}\n<reflection>\n{C(L[g]["think"])}\n</reflection>\n</thinking>\n\n<output>\n{body}\n</output>', ''
    if fam == 'llava-cot': return f'<SUMMARY> I will compare what the question asks for, step by step. </SUMMARY>\n\n<CAPTION> {C(L[g]["rec"])} </CAPTION>\n\n<REASONING> {m} </REASONING>\n\n<CONCLUSION> {body} </CONCLUSION>', ''
    if fam == 'granite 3.2': return f'Here is my thought process:\n{m}\n\nHere is my response:\n{body}', ''
    if fam == 'ernie': return f'<think>\n{m}\n</think>\n\n<response>\n{body}\n</response>\n', ''
    if fam == 'hunyuan': return f'<think>\n{m}\n</think>\n<answer>\n{body}\n</answer>', ''
    if fam == 'nested': return f'<think>\n{L[g]["think"][0]}\n<think>\n{muse(g, rub)}\n</think>\n{m}\n</think>\n\n{body}', ''
    if fam == 'two blocks': return f'<think>\n{m}\n</think>\n\n{C(L[g]["think"])}\n\n<think>\n{muse(g, rub)}\n</think>\n\n{body}', ''
    if fam == 'empty think': return f'<think>\n\n</think>\n\n{body}', ''
    if fam == 'ollama cli': return f'Thinking...\n{m}\n...done thinking.\n\n{body}', ''
    if fam == 'details': return f'<details type="reasoning" done="true" duration="{R.randint(3, 40)}">\n<summary>Thought for {R.randint(3, 40)} seconds</summary>\n' + '\n'.join('> ' + x for x in m.split('\n')) + f'\n</details>\n{body}', ''
    if fam == 'think+field': return f'<think>\n{m}\n</think>\n\n{body}', muse(g, rub, draft=draft)
    raise KeyError(fam)
GOOD = ['stop'] * 64 + ['end_turn'] * 12 + ['STOP'] * 10 + ['eos'] * 4 + ['eos_token'] * 4 + ['COMPLETE'] * 3 + ['completed'] * 3
CUT = ['length', 'max_tokens', 'MAX_TOKENS', 'model_length', 'max_output_tokens', 'incomplete', 'model_context_window_exceeded', 'limit', 'length', 'MAX_TOKENS']
ODD = ['content_filter', 'SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'OTHER', 'LANGUAGE', 'refusal', 'error', 'abort', 'insufficient_system_resource', 'sensitive', 'network_error', 'ERROR', 'ERROR_TOXIC', 'USER_CANCEL', 'guardrail_intervened', 'content_filtered', 'MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'pause_turn', 'failed', 'cancelled', 'unknown', '', 'FINISH_REASON_UNSPECIFIED']

def fam_of(): return R.choices(list(FAMS), list(FAMS.values()))[0]
def deck(weights, n):
    items = list(weights); tot = sum(weights.values()); out = []
    for k in items: out += [k] * max(1, round(n * weights[k] / tot))
    R.shuffle(out)
    while len(out) < n: out.append(R.choices(items, list(weights.values()))[0])
    return out[:n]
ROWS = []; STAT = Counter()
def emit(rub, g, fam, kind, text, field, finish, truth, why):
    ROWS.append({'rubric': rub, 'category': 'position' if rub == 'category' else None, 'text': text, 'reasoning': field, 'finish': finish, 'truth': truth, 'why': why})
    STAT['rubric ' + rub] += 1; STAT['lang ' + g] += 1; STAT['family ' + fam] += 1; STAT['truth' if truth is not None else 'null'] += 1; STAT[('form ' if truth is not None else 'NULL ') + kind] += 1; STAT['finish ' + finish] += 1
def tokens(text, fam, p=.22):
    if 'harmony' in fam or 'ollama' in fam: return text, 'none'
    x = R.random()
    if x < p:
        tok = C(ENDTOK.get(fam, ENDTOK['think'] if fam in ('nested', 'two blocks', 'empty think', 'hunyuan', 'close-only') else ENDTOK['none'])); text += C(['', '', '\n']) + tok
        if x < p / 6 and fam in ('none', 'field'): return C(HEADTOK) + text, 'both'
        return text, 'end'
    if x < p + .06 and fam in ('none', 'think', 'thinking'): return C(HEADTOK) + text, 'head'
    return text, 'none'

# ---------------------------------------------------------------- with truth
def with_truth(rub, n):
    fams = deck(FAMS, n)
    for i in range(n):
        g = C(LANGS); fam = fams[i]; t = new(rub)
        while True:
            body, form = FORM[rub](g, t, fam)
            if form in ('answer tag', 'answer tag only', 'box') and fam in ('hunyuan', 'ernie', 'reflection-70b', 'llava-cot', 'open thoughts', 'cohere'): continue
            if 'closing quote' == form and fam in ('llava-cot', 'hunyuan', 'harmony stripped'): continue
            if fam == 'none' and form in ('digits only', 'digit only') and R.random() < .5: continue
            # prose-marked families: the visible answer must be plainly apart from the draft
            if fam in ('granite 3.2', 'ollama cli', 'harmony stripped') and form in ('echo, then answer', 'draft in sight, then label', 'scale, then answer', 'template, then answer', 'said twice'): continue
            break
        draft = other(rub, t) if R.random() < .68 else None
        text, field = wrap(fam, g, rub, body, draft)
        text, tk = tokens(text, fam); STAT['tokens ' + tk] += 1
        emit(rub, g, fam, form, text, field, C(GOOD), t, f'{form}; {fam}; tokens {tk}' + ('; draft in reasoning' if draft is not None and fam not in ('none', 'empty think') else ''))

# ---------------------------------------------------------------- without truth
def lead(rub, g, t): return analysis_pw(g, t) if rub == 'pairwise' else analysis_rec(g, t) if rub == 'reconstruction' else C([x for x in L[g]['intro'] if x])
def label(rub, g, t): return (f'{lab(g, "fa")}{colon(g)}{t}' if rub == 'pairwise' else f'{lab(g, "fs")}{colon(g)}{t}' if rub == 'reconstruction' else fence(dump(nested(g, t))))
def cutoff(rub, g, t):
    """a body that breaks off: draft line, then words without end"""
    if rub == 'category': s = dump(nested(g, t), 2); return C([s[:int(len(s) * R.uniform(.3, .8))], f'{L[g]["draft"]}\n{dump(t)}\n{L[g]["doubt"]}'])
    return f'{L[g]["draft"]}\n{t}\n{L[g]["doubt"]}'
def n_unclosed(rub, g, t):
    fam = C(list(TAG) + ['think', 'think', 'harmony', 'harmony stripped', 'llava-cot', 'reflection-70b']); d = plain(rub, t)
    end = C([L[g]['doubt'], L[g]['doubt'], '', L[g]['think'][0]]); m = f'{C(L[g]["think"])}\n{L[g]["draft"]}\n{d}\n{end}' if R.random() < .75 else f'{C(L[g]["think"])}\n{label(rub, g, t)}'
    o = {'harmony': '<|channel|>analysis<|message|>', 'harmony stripped': 'analysis', 'llava-cot': '<SUMMARY> I will compare both step by step. </SUMMARY>\n\n<REASONING> ', 'reflection-70b': '<thinking>\n<reflection>\n'}.get(fam) or TAG[fam][0]
    if fam == 'harmony stripped': m = f'{C(L[g]["think"])}\n{L[g]["draft"]}\n{d}\n{L[g]["doubt"]}'
    return fam, f'{o}{C([chr(10), ""]) if fam != "harmony stripped" else ""}{m}', '', C(GOOD), 'reasoning never ends'
def n_reopened(rub, g, t):
    fam = C(['think', 'thinking', 'magistral', 'kimi']); o, c, _ = TAG[fam]
    return fam, f'{o}\n{muse(g, rub)}\n{c}\n\n{lead(rub, g, t)}\n{plain(rub, t)}\n\n{o}\n{L[g]["think"][1]} {L[g]["doubt"]}', '', C(GOOD), 'reasoning opened again and never ended'
def n_nothing_after(rub, g, t):
    fam = C(['think', 'thinking', 'magistral', 'kimi', 'reasoning tag', 'exaone', 'seed', 'gemma4', 'close-only']); m = f'{muse(g, rub)}\n{label(rub, g, t)}'
    if fam == 'close-only': return fam, f'{m}\n</think>' + C(['', '\n\n']), '', C(GOOD), 'no answer after the reasoning'
    o, c, _ = TAG[fam]; tail = C(['', '\n', '\n\n' + L[g]['close'][0]])
    return fam, f'{o}\n{m}\n{c}{tail}', '', C(GOOD), 'no answer after the reasoning'
def n_field_only(rub, g, t): return 'field', C(['', '', '\n', L[g]['close'][0]]), f'{muse(g, rub)}\n{label(rub, g, t)}', C(GOOD), 'answer only in the reasoning field'
def n_cut(rub, g, t):
    fam = C(['none', 'none', 'field', 'think']); b = cutoff(rub, g, t) if R.random() < .7 else f'{lead(rub, g, t)}\n\n{label(rub, g, t)}'
    text, field = wrap(fam, g, rub, b, other(rub, t)); return fam, text, field, C(CUT), 'cut off'
def n_odd(rub, g, t):
    fam = C(['none', 'none', 'field', 'think', 'harmony']); b = cutoff(rub, g, t) if R.random() < .5 else f'{lead(rub, g, t)}\n\n{label(rub, g, t)}'
    text, field = wrap(fam, g, rub, b, None); return fam, text, field, C(ODD), 'unknown or broken ending'
def n_two(rub, g, t):
    o = other(rub, t); fam = C(['none', 'none', 'think', 'field', 'harmony']); k = R.randrange(3)
    a, b = L[g]['two']; x, y = (label(rub, g, t), label(rub, g, o))
    if rub == 'pairwise' and k == 0: body = f'{lead(rub, g, t)}\n\n```json\n{json.dumps({"final_answer": t})}\n```\n\n{label(rub, g, o)}'
    elif k == 1: body = f'{a}{colon(g)}\n{x}\n\n{b}{colon(g)}\n{y}'
    else: body = f'{lead(rub, g, t)}\n\n{x}\n\n{lead(rub, g, o)}\n\n{y}'
    text, field = wrap(fam, g, rub, body, None); return fam, text, field, C(GOOD), 'two contradicting answers'
def n_back(rub, g, t):
    fam = C(['none', 'none', 'think', 'field']); text, field = wrap(fam, g, rub, f'{lead(rub, g, t)}\n\n{label(rub, g, t)}\n\n{L[g]["back"]}', None); return fam, text, field, C(GOOD), 'answer taken back'
def bad_value(rub, g, t):
    if rub == 'pairwise':
        d = t.split(); k = R.randrange(6); i = R.randrange(6)
        if k == 0: d[i] = C('04589'); w = 'off the menu'
        elif k == 1: d = d[:5]; w = 'five digits'
        elif k == 2: d.append(C('123')); w = 'seven digits'
        elif k == 3: d[i] = C(['1/2', '1 or 2', 'N/A', '?', '2.5', 'X']); w = 'undecided place'
        elif k == 4: d[i] = C(['4', '0']); return json.dumps(dict(zip(PKEYS, map(int, d)))), 'off the menu in JSON'
        else:
            o = dict(zip(PKEYS, map(int, d))); o.pop(C(PKEYS)); return fence(dump(o, 2)), 'criterion missing in JSON'
        return C(['', 'Final answer: ', lab(g, 'fa') + ': ', '**Final answer:** ']) + ' '.join(d), w
    if rub == 'reconstruction':
        v, w = C([('4', 'out of range'), ('0', 'out of range'), ('2.5', 'between two scores'), ('2-3', 'a range'), ('1 or 2', 'two scores'), ('7/10', 'another scale'), ('4/5', 'another scale'), ('8', 'out of range'), ('5', 'out of range'), ('N/A', 'no score')])
        return C(['', lab(g, 'fs') + ': ', '**Final score:** ']) + v, w
    k = R.randrange(7); n = nested(g, t, kind='n'); key = C(KEYS[:3])
    if k == 0: n[key]['score'] = C([11, 12, -1, 85, 15]); w = 'out of range'
    elif k == 1: n.pop(key); w = 'aspect missing'
    elif k == 2: n[key]['score'] = C(['N/A', None, 'high', '7-8', '8 or 9']); w = 'no single number'
    elif k == 3: n['overall_score'] = C([11, 25, -2, '82%', '12/10']); w = 'overall out of range'
    elif k == 4: return fence('{' + ', '.join(f'"{x}": {t[x]}' for x in KEYS) + f', "{key}": {(t[key] + 3) % 10}' + '}'), 'one key with two values'
    elif k == 5: n = {k2: f'{v}/20' if v else '3/20' for k2, v in t.items()}; w = 'another scale'
    else: n = {x.replace('position', 'color') if 'position' in x else 'detectability' if 'occl' in x else x: v for x, v in n.items()}; w = "another category's aspects"
    return C([fence, str.strip])(dump(n, 2)), w
def n_bad(rub, g, t):
    fam = C(['none', 'none', 'none', 'think', 'field', 'magistral', 'harmony']); b, w = bad_value(rub, g, t)
    if rub == 'category': body = b
    else: body = f'{lead(rub, g, t)}\n\n{b}'
    text, field = wrap(fam, g, rub, body, t if fam != 'none' else None); return fam, text, field, C(GOOD), w
def n_echo(rub, g, t):
    fam = C(['none', 'none', 'think', 'field']); m = L[g]
    if rub == 'pairwise': b = f'{C(m["l"])} {C(m["r"])}\n{m["echo"]}{colon(g)}' + C(['1 2 2 3 2 1', 'x x x x x x', '<1|2|3> <1|2|3> <1|2|3> <1|2|3> <1|2|3> <1|2|3>'])
    elif rub == 'reconstruction': b = C([m['scale'] + '\n' + C(m['refuse']), f'{m["scale"]}\n{C(m["rec"])}', f'{C(m["rec"])}\nIn example 1 the score was {t}.'])
    else: b = C(['', m['echo'] + colon(g) + '\n']) + C(['{"position_accuracy": {"explanation": "...", "score": 0-10}, "occlusion_management": {"explanation": "...", "score": 0-10}, "perspective_consistency": {"explanation": "...", "score": 0-10}, "overall_score": 0-10}', '{"position_accuracy": {"explanation": "<one or two sentences>", "score": <number>}, "occlusion_management": {"explanation": "<one or two sentences>", "score": <number>}, "perspective_consistency": {"explanation": "<one or two sentences>", "score": <number>}, "overall_score": <number>}', '{"position_accuracy": {"explanation": "your one or two sentences", "score": "number from 0 to 10"}, "occlusion_management": {"explanation": "…", "score": "…"}, "perspective_consistency": {"explanation": "…", "score": "…"}, "overall_score": "number"}'])
    text, field = wrap(fam, g, rub, b, None); return fam, text, field, C(GOOD), 'only an echo of the question'
def n_each(rub, g, t):
    a, b = L[g]['obj']; fam = C(['none', 'none', 'think', 'field'])
    if rub == 'pairwise':
        hi = C([0, 0, 1]); f = (lambda: ' '.join(str(R.randint(5, 9)) for _ in range(6))) if hi else (lambda: ' '.join(C('123') for _ in range(6)))
        x = f(); y = f()
        while y == x: y = f()
        body = f'{C(L[g]["l"])} {C(L[g]["r"])}\n\n{a}{colon(g)}{x}\n{b}{colon(g)}{y}'
    elif rub == 'reconstruction': body = '\n'.join(R.sample(L[g]['rec'], 2)) + '\n\n' + '\n'.join(f'{C(["- ", "", "**"])}{k}: {C("123")}'.replace('**' + k, f'**{k}**') for k in ['Shape fidelity', 'Proportionality', 'Completeness', 'No artifact'])
    else:
        body = f'{{"object_1": {dump(t)}, "object_2": {dump(other(rub, t))}}}' if C([0, 1]) else f'[{dump(t)}, {dump(other(rub, t))}]'
    text, field = wrap(fam, g, rub, body, None); return fam, text, field, C(GOOD), 'per-criterion scores without a final one' if rub == 'reconstruction' else 'scores of each object'
def n_refuse(rub, g, t):
    fam = C(['none', 'none', 'none', 'think', 'field']); text, field = wrap(fam, g, rub, C(L[g]['refuse']), t if R.random() < .4 else None); return fam, text, field, C(GOOD), 'refusal'
def n_empty(rub, g, t): return 'none', C(['', ' ', '\n', '<|im_end|>', '</s>', '```json\n```']), '', C(GOOD), 'empty'
def n_prose(rub, g, t):
    fam = C(['none', 'none', 'think', 'close-only', 'field', 'kimi'])
    b = {'pairwise': lambda: f'{C(L[g]["l"])} {C(L[g]["r"])}\n{L[g]["crit"][5]}{colon(g)}{L[g]["v"][int(t[-1]) - 1]}.', 'reconstruction': lambda: '\n'.join(R.sample(L[g]['rec'], 3)), 'category': lambda: ' '.join(exp(g, i) for i in range(3))}[rub]()
    text, field = wrap(fam, g, rub, b, t if fam != 'none' else None); return fam, text, field, C(GOOD), 'analysis without an answer'
NULLS = {n_unclosed: 19, n_reopened: 3, n_nothing_after: 9, n_field_only: 6, n_cut: 15, n_odd: 14, n_two: 9, n_back: 5, n_bad: 18, n_echo: 6, n_each: 7, n_refuse: 5, n_empty: 2, n_prose: 6}
def without(rub, n):
    for f in deck(NULLS, n):
        g = C(LANGS); t = new(rub); fam, text, field, finish, why = f(rub, g, t)
        if f in (n_bad, n_two, n_refuse, n_prose): text, tk = tokens(text, fam, .15)
        emit(rub, g, fam, f.__name__[2:], text, field, finish, None, f'{why}; {fam}')
for rub, a, b in (('pairwise', 240, 160), ('reconstruction', 174, 116), ('category', 186, 124)):
    with_truth(rub, a); without(rub, b)
R.shuffle(ROWS)
with open(sys.argv[1], 'w', encoding='utf-8') as f:
    for i, r in enumerate(ROWS, 1): f.write(json.dumps({'id': i, **r}, ensure_ascii=False) + '\n')
for k in sorted(STAT, key=lambda k: (k.split()[0], -STAT[k])): print(STAT[k], k)
