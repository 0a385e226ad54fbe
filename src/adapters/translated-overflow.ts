/** The complaint that a conversation does not fit, in the languages of gateways beside English and Chinese: by the few words that each has for it. */

// One alternative a language: German, French, Spanish, Portuguese, Italian, Dutch, Nordic, Polish, Czech, Romanian,
// Hungarian, Finnish, Turkish, Russian, Ukrainian, Greek, Arabic, Hebrew, Persian, Hindi, Vietnamese, Indonesian, Thai,
// Japanese, Korean; stems that several share stand once. Matched against lower-cased text.
const CONTEXT =
  /kontext|context|contesto|kontekst|konteks\b|konteksti|bağlam|szövegkörnyezet|контекст|πλαισ[ίι]|συμφραζ|السياق|سياق|הקשר|زمینه|संदर्भ|ngữ cảnh|บริบท|コンテキスト|コンテクスト|文脈|컨텍스트|문맥/u
const SENT =
  /prompt|(?<!\p{L})(?:input|request|messages?|eingabe|anfrage|nachrichten?|unterhaltung|invite|requête|entrée|conversation|entrada|solicitud|mensajes?|conversación|solicitação|mensage(?:m|ns)|conversa|richiesta|messagg[io]|conversazione|invoer|verzoek|berichten|gesprek|zapytanie|wejście|wiadomoś\S*|rozmowa|vstup|dotaz|zpráv\S*|cerere\S*|kérés|bemenet|syöte|pyyntö|forespørsel\S*|inmatning|begäran|girdi|istek|istem|đầu vào|yêu cầu|tin nhắn|masukan|permintaan|pesan)(?!\p{L})|запрос|ввод|промпт|сообщени|диалог|запит|введення|повідомлен|αίτημα|είσοδος|الطلب|المدخل|الإدخال|الرسالة|הבקשה|הקלט|ورودی|درخواست|इनपुट|अनुरोध|संदेश|प्रॉम्प्ट|คำขอ|ข้อความ|入力|プロンプト|リクエスト|メッセージ|会話|입력|프롬프트|요청|메시지|대화/u
const TOKENS = /tokens?\b|tokenów|tokeny|tokenů|jetons?\b|jeton|belirteç|токен|رمز|رموز|توكن|टोकन|โทเคน|トークン|토큰/u
const MOST =
  /\bm[aá]xim(?!um)|\bmassim|\bmaks[iy]m|\bnajwię|\bl[ií]mite|\bgrenze|\bhöchst|\bgräns|\bgrens|\ben fazla|\bazami|\btối đa|\bgiới hạn|\bbatas|\benimmä|максим|наибольш|предел|лимит|ліміт|μέγιστ|όριο|الحد الأقصى|أقصى|حداکثر|מקסימ|अधिकतम|सीमा|สูงสุด|最大|上限|최대|한도|제한/u
const EXCEEDS =
  /überschr|übersteig|dépass|excèd|\bexced(?!e?ed)|\bsuper(?:a|an|ad[oa]s?|ó|e|ou|at[oa])\b|ultrapass|\becced|overschr|overstijg|överst?i|översk|overstig|overskr|\bprzekr|\bpřekr|\bdepăș|\bmeghalad|\btúllép|\bylit|\baş[ıma]|\bgeç(?:ti|iyor|mek)|превы[шс]|перевищ|υπερβ|υπέρβ|ξεπερν|تجاوز|یتجاوز|חורג|חריגה|से अधिक|अधिक है|पार कर|vượt|\bmelebihi|\bmelampaui|เกิน|超え|超過|초과|넘/u
const TOO_LONG =
  /\bzu (?:klein|lang|groß)|\btrop (?:longue?s?|grande?s?|petite?)|\bdemasiado (?:larg|grand|long)|\bmuito (?:long|grande)|\blong[oa]s? demais|\btropp[oa] (?:lung|grand)|\bte (?:lang|groot)|\bför (?:lång|stor)|\bfor (?:langt?|stort?)\b|\b(?:zbyt|za) (?:dług|duż)|\bpříliš (?:dlouh|velk)|\bprea (?:lung|mar)|\btúl (?:hosszú|nagy)|\bliian (?:pitkä|suuri)|çok (?:uzun|büyük)|слишком (?:длин|больш)|(?:занадто|надто) (?:довг|велик)|πολύ μεγάλ|طويل[ةه]? ?جد|طويلة للغاية|ארוך מדי|ארוכה מדי|طولانی|बहुत (?:लंब|बड़)|quá (?:dài|lớn)|terlalu (?:panjang|besar)|ยาวเกิน|長すぎ|大きすぎ|너무 (?:길|긴|깁|큽|크)/u
const LARGE_NUMBER = /\d[\d.,\s]*\d{2}|[٠-٩]{3}|[०-९]{3}/u

// Rates and quotas, what is to come instead of what was sent, and a time limit that English calls a context.
const OTHER_MATTER =
  /pro (?:minute|tag|stunde)|par (?:minute|jour|heure)|por (?:minuto|d[ií]a|hora)|al (?:minuto|giorno)|per (?:minuut|dag|minut|dag|minute|day|hour)|na (?:minutę|dzień)|dakikada|günlük|в (?:минуту|день|час)|на (?:хвилину|день)|في (?:الدقيقة|اليوم)|प्रति (?:मिनट|दिन)|mỗi (?:phút|ngày)|per (?:menit|hari)|毎分|1分|分あたり|日あたり|분당|일일|quota|kontingent|cuota|cota\b|квот|max_\w*tokens|deadline|cancel/u

// What the Turkish İ leaves behind its i.
const DOT_ABOVE = '\u0307'

/** Whether lower-cased text of an answer with an error's status says so. English is not asked here: its words are sharper. */
export function isTranslatedOverflow(lowered: string): boolean {
  return isOverflow(lowered.replaceAll(DOT_ABOVE, ''))
}

function isOverflow(lowered: string): boolean {
  if (OTHER_MATTER.test(lowered)) return false
  const isOver = EXCEEDS.test(lowered)
  if (CONTEXT.test(lowered)) {
    return isOver || TOO_LONG.test(lowered) || (MOST.test(lowered) && LARGE_NUMBER.test(lowered))
  }
  return (SENT.test(lowered) && TOO_LONG.test(lowered)) || (isOver && TOKENS.test(lowered) && MOST.test(lowered))
}
