/** How model servers say that a conversation or a text does not fit. Knows their wordings, and nothing of HTTP clients. */
import { isTranslatedOverflow } from './translated-overflow.ts'

/** Codes and error types in the JSON of an answer. */
const CODES: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'context_window_exceeded',
  'exceed_context_size_error',
  'model_context_window_exceeded',
  'max_tokens_per_request',
])

// Each is matched against one lower-cased sentence. Rate limits ("tokens per min", "too many requests") match none.
const WORDINGS: readonly RegExp[] = [
  /context[_ ]length[_ ]exceeded/,
  // OpenAI, vLLM, SGLang, OpenRouter, DeepSeek, Mistral, xAI
  /max(?:imum)?[ _](?:allowed )?(?:context|model|prompt|input|sequence)[ _](?:length|size|window|len\b)/,
  // llama.cpp, Ollama, LM Studio, Anthropic, OpenAI's newer models
  /(?:exceed\w*|greater than|longer than|larger than|beyond)[^.\n]{0,80}context[ _-]?(?:size|length|window|limit)/,
  /context (?:size|length|window|limit)[^.\n]{0,40}(?:exceed|overflow|too (?:small|short|long))/,
  /exceeds? (?:the )?context\b/,
  /\b(?:prompt|input|request|conversation|messages?) (?:is |are |was )?(?:longer|larger|bigger) than (?:what )?(?:the |this )?(?:model|server|endpoint)\b/,
  /context the overflows/,
  // Anthropic, Bedrock, Ollama; OpenAI's request beyond a whole minute's tokens
  /\b(?:prompt|input|request|conversation|messages?)(?: (?:is|are|was))? too (?:long|large)\b/,
  /\brequest entity too large\b/,
  // DashScope, Gemini, Moonshot, Zhipu, Groq, TGI
  /range of input length/,
  /input token count[^.\n]{0,40}exceeds/,
  /exceeds? the maximum (?:allowed )?number of (?:input )?tokens/,
  /exceed\w* (?:the )?model token limit/,
  /prompt exceeds max length/,
  /reduce the length of (?:the |your )?(?:messages|prompt|input|conversation)/,
  /must have less than \d+ (?:input )?tokens/,
  /tokens`? \+ `?max_new_tokens`? must be/,
  // Embedding servers: llama.cpp, Mistral, Jina, OpenAI's sum over one request
  /\binput (?:\(\d+ tokens\) )?is too large to process/,
  /exceed\w* (?:the )?max(?:imum)?(?: of)? \d+ tokens(?! ?(?:per\b|\/))/,
  /cannot exceed \d+ tokens(?! ?(?:per\b|\/))/,
  /too many tokens in batch/,
  /max(?:imum)?(?: request size is)? \d+ tokens per request/,
]

// Chinese gateways and servers, in both scripts.
const CHINESE_WORDINGS: readonly RegExp[] = [
  /上下文[^。\n]{0,16}(?:超[过過出限长長]|[过過太][长長]|溢出)/,
  /超[过過出]了?[^。\n]{0,16}(?:上下文|最大[^。\n]{0,6}[长長]度|[长長]度(?:的?限制|上限))/,
  /\bprompt ?[超过過][长長]/,
  /(?:[输輸]入|提示[词詞]?|[请請]求|消息|[对對][话話]|文本|prompt)[^。\n]{0,10}(?:[长長]度|tokens?|字[数數])[^。\n]{0,8}超[过過出限]/,
  /tokens? ?(?:[总總])?(?:[数數]量?|[长長]度)?[^。\n]{0,4}超[过過出限][^。\n]{0,10}(?:限制|上限|最大)/,
  /(?:[输輸]入|提示[词詞]|[对對][话話]|文本|prompt)(?:[内內]容)?[过過太][长長]/,
]
// The length of what is to come is another parameter's matter, unless it is added to what was sent.
const CHINESE_OUTPUT = /max_\w*tokens|[输輸]出|生成/
const CHINESE_INPUT = /上下文|[输輸]入|提示|消息|prompt/
const CHINESE_RATES = /每(?:分|秒|天|日|小[时時]|月)|[频頻]率|速率|配[额額]|[额額]度|余[额額]|限流|套餐|\b[tr]pm\b/

/** OpenAI's for any string of a request: a text, and an id or a stop word as well. */
const LOOSE_CODE = 'string_above_max_length'

// Said of texts, and of quotas and other fields too: they count under these statuses, and without what is named below.
const LOOSE_STATUSES: ReadonlySet<number> = new Set([400, 422, 500])
const LOOSE_WORDINGS: readonly RegExp[] = [
  // Cohere, Bedrock's Titan, gateways
  /\btoo many (?:input )?(?:tokens|characters)\b/,
  /\btoken limit (?:(?:is|was|has been) )?exceeded\b/,
  /\bexceed\w* (?:the |its )?(?:max(?:imum)? )?token limit\b/,
  // Voyage, Vertex, Google's AI Studio
  /\bmax(?:imum)? allowed tokens per submitted batch\b/,
  /\binput token count is \d+ but\b/,
  /\bpayload size exceeds the limit\b/,
  // NVIDIA, DashScope
  /\blength \(?\d+\)? exceeds (?:the )?max/,
  // OpenAI, pydantic (vLLM, FastAPI), TEI, Bedrock's Cohere
  /\b(?:inputs?|strings?|texts?|content|documents?|quer(?:y|ies)|sequence)(?: (?:is|are|was))? too long\b/,
  /\b(?:at most|up to|no (?:more|longer) than|not be (?:more|longer) than|cannot (?:be longer than|exceed)) \d[\d,]* (?:characters|tokens)\b/,
  /\bmust (?:have|be) (?:less|fewer|shorter) than \d[\d,]* (?:characters|tokens)\b/,
  /\bmax(?:imum)?(?: length)?(?: (?:of|is))? \d[\d,]* (?:characters|tokens)\b/,
  /\bexpected maxlength: \d/,
]
const NOT_OF_THE_TEXT: readonly RegExp[] = [
  // Bedrock throttles with "Too many tokens, please wait before trying again."
  /\brate[ _-]?limit|\bthrottl|\bplease wait\b|\btry again later\b/,
  /\bper (?:sec|min|hour|day|week|month|user)|\btokens? ?\/ ?(?:s|m|h|d)|\btp[mdh]\b/,
  /\bquota|\b(?:hourly|daily|weekly|monthly|account|budget|billing|credits?|plan|subscription|tier)\b/,
  // What is to come, and fields that hold no text.
  /\bmax_\w*tokens\b|\b(?:completion|output) tokens\b/,
  /\bname\b|\bdescription\b|\btools?(?:\[\d+\]|\.\d+)\.|'[^'\n]*\b(?:id|stop|user|model)'/,
]

// A whole reply that is nothing but the complaint; a summary that tells of one starts otherwise, or is longer.
const COMPLAINT_UNITS_MAX = 400
const COMPLAINT_START =
  /^(?:(?:\w*error|failed|sorry|i'm sorry|message|code|but)\b[\w ]{0,20}[:,.-]? ?(?:\d{3})?:? ?-? ?){0,3}(?:your (?:input|prompt|request|messages)|this (?:model|endpoint)|please reduce|(?:the )?(?:maximum |requested |model'?s? |total |decoder )?(?:context|prompt|input|request|tokens?|messages|conversation)|range of input)\b/
// Markdown and JSON around the sentence, and the underscores of a bare code.
const DRESSING = /[*`"{}[\]\\_]|\B'|'\B/g
// A server says what does not fit; only a summary knows what came of it.
const NARRATION = /\b(?:agent|fixed|solved|resolved|mended|raised|split|trimmed|pass(?:es|ed)|succeeded|worked)\b/
const CHINESE_COMPLAINT_UNITS_MAX = 120
const CHINESE_COMPLAINT_START =
  /^(?:(?:[错錯][误誤]|抱歉|[对對]不起|很?[遗遺]憾|[请請]求失[败敗]|失[败敗]|警告|error|code)[ \d:：,，.。!！-]*){0,3}(?:[您你]的?|[当當]前|本次|[该該此])?(?:的|模型|[请請]求|[输輸]入|提示[词詞]?|上下文|[对對][话話]|消息|文本|[内內]容|[长長]度|tokens?|prompt|超[过過出])/
const CHINESE_NARRATION =
  /代理|智能[体體]|助手|修[复復]|解[决決]|拆分|分割|分成|通[过過](?!大)|成功|改[为為用]|因此|[后後][来來]|[随隨][后後]|于是|[导導]致|由于|因[为為]|原因|[应應]|[时時][，,]|[后後](?![再重])/
/** HTTP 413, a known code, or a known sentence. */
export function isContextOverflow(status: number, code: string, text: string): boolean {
  if (status === 413 || CODES.has(code)) return true
  const lowered = text.toLowerCase()
  if (WORDINGS.some((wording) => wording.test(lowered)) || isChineseOverflow(lowered)) return true
  return isTranslatedOverflow(lowered) || isLooseOverflow(status, code, lowered)
}

function isChineseOverflow(lowered: string): boolean {
  if (CHINESE_RATES.test(lowered) || (CHINESE_OUTPUT.test(lowered) && !CHINESE_INPUT.test(lowered))) return false
  return CHINESE_WORDINGS.some((wording) => wording.test(lowered))
}

function isLooseOverflow(status: number, code: string, lowered: string): boolean {
  if (!LOOSE_STATUSES.has(status) || NOT_OF_THE_TEXT.some((wording) => wording.test(lowered))) return false
  return code === LOOSE_CODE || LOOSE_WORDINGS.some((wording) => wording.test(lowered))
}

/** Whether the text of a successful reply is a gateway's complaint and no answer. */
export function isOverflowComplaint(content: string): boolean {
  if (content.length > COMPLAINT_UNITS_MAX) return false
  const lowered = content
    .toLowerCase()
    .replace(DRESSING, ' ')
    .replace(/\s*:\s*/g, ': ')
    .replace(/\s+/g, ' ')
    .trim()
  if (isChineseComplaint(lowered)) return true
  if (!COMPLAINT_START.test(lowered) || NARRATION.test(lowered)) return false
  return WORDINGS.some((wording) => wording.test(lowered))
}

function isChineseComplaint(lowered: string): boolean {
  if (lowered.length > CHINESE_COMPLAINT_UNITS_MAX || CHINESE_NARRATION.test(lowered)) return false
  const bare = lowered.replace(/[【】「」“”]/g, ' ').trim()
  return CHINESE_COMPLAINT_START.test(bare) && isChineseOverflow(bare)
}
