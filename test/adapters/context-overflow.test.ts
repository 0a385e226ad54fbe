/** The sentences of model servers, as they were seen, and which of them say that something is too long. */
import { describe, expect, test } from 'bun:test'
import { isContextOverflow, isOverflowComplaint } from '../../src/adapters/context-overflow.ts'

describe('too long', () => {
  const sentences: readonly (readonly [status: number, text: string])[] = [
    [400, 'too many tokens'],
    [400, 'Request has too many tokens'],
    [400, 'too many tokens: total number of tokens in the input must be lower than 4081'],
    [400, 'Too many input tokens. Max input tokens: 8192, request input token count: 9875'],
    [400, 'Token limit exceeded'],
    [500, 'token limit was exceeded'],
    [400, 'The input exceeds the maximum token limit'],
    [400, 'string too long. Expected a string with maximum length 8000'],
    [
      400,
      "Invalid 'input[0]': string too long. Expected a string with maximum length 8000, but got a string with length 9000 instead.",
    ],
    [400, "Invalid 'messages[3].content': string too long. Expected a string with maximum length 1048576"],
    [422, 'input must be at most 100 characters'],
    [422, 'String should have at most 8192 characters'],
    [422, 'ensure this value has at most 8,192 characters'],
    [422, 'text cannot be longer than 2048 characters'],
    [400, 'The maximum length is 2048 characters'],
    [422, '`inputs` must have less than 128000 characters. Given: 130000'],
    [
      400,
      'Malformed input request: #/texts/0: expected maxLength: 2048, actual: 19882, please reformat your input and try again.',
    ],
    [400, 'Input length 851 exceeds maximum allowed token size 512'],
    [400, 'String value length (20054016) exceeds the maximum allowed (20000000, from `StreamReadConstraints`)'],
    [
      400,
      "Request to model 'voyage-code-3' failed. The max allowed tokens per submitted batch is 120000. Your batch has 131126 tokens after truncation.",
    ],
    [
      400,
      'Unable to submit request because the input token count is 34708 but the model supports up to 20000. Reduce the input token count and try again.',
    ],
    [400, 'Request payload size exceeds the limit: 36000 bytes.'],
    [400, 'inputs are too long'],
    [400, '上下文长度超过限制'],
    [400, '输入长度超过模型最大上下文'],
    [500, '请求的token数超出限制'],
    [400, '输入内容过长，请缩短后重试'],
    [400, '請求的 token 數量超過上限 4096'],
    [400, 'Prompt 超长'],
    [400, 'Die maximale Kontextlänge von 8192 Token wurde überschritten.'],
    [400, 'Die Anfrage überschreitet das Kontextfenster des Modells.'],
    [400, 'Die Eingabe ist zu lang.'],
    [400, 'La longueur maximale du contexte est dépassée.'],
    [400, "L'entrée dépasse la fenêtre de contexte du modèle."],
    [400, 'La requête est trop longue.'],
    [400, 'Se ha superado la longitud máxima del contexto.'],
    [400, 'La entrada excede la ventana de contexto.'],
    [400, 'A entrada ultrapassa a janela de contexto do modelo.'],
    [400, 'Превышена максимальная длина контекста: 8192 токена.'],
    [400, 'Запрос слишком длинный.'],
    [400, 'コンテキスト長の上限を超えています。'],
    [400, '入力が長すぎます。'],
    [400, '컨텍스트 길이를 초과했습니다.'],
    [400, '입력이 너무 깁니다.'],
    [400, 'La longitud máxima de contexto de este modelo es 8192 tokens, pero solicitó 9000.'],
    [400, 'O comprimento máximo de contexto deste modelo é de 8192 tokens.'],
    [400, 'La longueur maximale de contexte de ce modèle est de 8192 jetons.'],
    [400, 'La lunghezza massima del contesto di questo modello è 8192 token.'],
    [400, 'La richiesta è troppo lunga.'],
    [400, 'Il messaggio supera il limite di contesto.'],
    [400, 'De maximale contextlengte is overschreden.'],
    [400, 'Het verzoek is te lang.'],
    [400, 'Przekroczono maksymalną długość kontekstu.'],
    [400, 'Maksymalna długość kontekstu tego modelu to 8192 tokenów.'],
    [400, 'Zapytanie jest zbyt długie.'],
    [400, 'Максимальна довжина контексту цієї моделі 8192 токени.'],
    [400, 'Максимальная длина контекста этой модели составляет 8192 токена.'],
    [400, 'Запит занадто довгий.'],
    [400, 'Bağlam uzunluğu sınırı aşıldı.'],
    [400, 'Bu modelin azami bağlam uzunluğu 8192 belirteçtir.'],
    [400, 'İstek çok uzun.'],
    [400, 'تجاوز طول السياق الحد الأقصى.'],
    [400, 'الحد الأقصى لطول السياق لهذا النموذج هو 8192 رمزًا.'],
    [400, 'इस मॉडल की अधिकतम संदर्भ लंबाई 8192 टोकन है।'],
    [400, 'अनुरोध बहुत लंबा है।'],
    [400, 'Độ dài ngữ cảnh vượt quá giới hạn.'],
    [400, 'Độ dài ngữ cảnh tối đa của mô hình này là 8192 token.'],
    [400, 'Yêu cầu quá dài.'],
    [400, 'Panjang konteks maksimum model ini adalah 8192 token.'],
    [400, 'Permintaan terlalu panjang.'],
    [400, 'Maximální délka kontextu je překročena.'],
    [400, 'Kontextlängden överskrider gränsen.'],
    [400, 'このモデルの最大コンテキスト長は8192トークンです。'],
    [400, '이 모델의 최대 컨텍스트 길이는 8192 토큰입니다.'],
    [400, 'The prompt is longer than what the model supports.'],
    [400, '输入长度加 max_tokens 超出上下文长度'],
  ]
  test.each(sentences)('HTTP %p: %s', (status, text) => {
    expect(isContextOverflow(status, '', text)).toBe(true)
  })

  test('is a string over its limit by code, whatever the words', () => {
    expect(isContextOverflow(400, 'string_above_max_length', 'Too much.')).toBe(true)
  })
})

describe('not too long', () => {
  const sentences: readonly (readonly [status: number, text: string])[] = [
    // Rates and quotas.
    [429, 'Too many tokens'],
    [400, 'ThrottlingException: Too many tokens, please wait before trying again.'],
    [500, 'Too many tokens, please wait before trying again.'],
    [400, 'too many tokens per minute'],
    [400, 'You may use at most 10000 tokens per min'],
    [400, 'You may use up to 5000 tokens/min'],
    [429, 'Token limit exceeded'],
    [403, 'Token limit exceeded'],
    [400, 'Daily token limit exceeded'],
    [400, 'Token limit exceeded · You have reached your monthly token limit. Please upgrade to Pro to continue.'],
    [400, 'Token limit exceeded for your plan'],
    [400, 'rate limit exceeded, too many tokens used'],
    [400, 'You exceeded your current quota: at most 100000 tokens'],
    [429, '请求的token数超出每分钟限制'],
    [400, 'token数超过套餐额度上限'],
    [429, 'Das Kontingent ist überschritten: 100000 Token pro Minute.'],
    [429, 'Limite de jetons par minute dépassée.'],
    [400, 'Ungültiger Parameter: Kontext fehlt.'],
    [429, 'トークン数の上限を超えました (1分あたり)'],
    [429, 'Se ha superado el límite de tokens por minuto.'],
    [429, 'Przekroczono limit tokenów na minutę.'],
    [429, 'Superato il limite massimo di token al minuto.'],
    [429, 'Dakikada en fazla belirteç sayısı aşıldı.'],
    [500, 'rpc error: context deadline exceeded'],
    [500, 'context canceled'],
    [400, 'El contexto no es válido.'],
    [400, 'No storage for long requests for language models.'],
    [400, 'Invalid context: at least 100 items are needed.'],
    [400, 'Le nom du modèle est trop long.'],
    [429, '분당 토큰 한도를 초과했습니다'],
    [429, '您的账户已达到速率限制，请求token超过上限'],
    // Other fields of the request.
    [400, "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40"],
    [400, "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64"],
    [400, "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024"],
    [400, 'tools.0.function.description: string too long'],
    [400, 'max_tokens 超出最大输出长度'],
    [400, '输出长度超过最大限制'],
    [422, "Invalid 'stop': string too long. Expected a string with maximum length 16"],
    [400, 'max_tokens is too large: 10000. This model supports at most 4096 completion tokens'],
    [400, 'max_tokens must be at most 4096 tokens'],
    [422, 'model name must be at most 64 characters'],
    [422, 'List should have at most 32 items after validation, not 64'],
    [400, 'inputs must be at most 96'],
    [422, 'String should have at least 1 character'],
    [422, 'input must be longer than 3 characters'],
    // Content.
    [400, 'Your request was rejected as a result of our safety system.'],
    [400, 'The response was filtered due to the prompt triggering the content management policy'],
    [400, 'Input data may contain inappropriate content.'],
    [400, 'input contains invalid tokens'],
    [400, 'invalid token'],
  ]
  test.each(sentences)('HTTP %p: %s', (status, text) => {
    expect(isContextOverflow(status, '', text)).toBe(false)
  })

  test('is an id over its limit, by code as well', () => {
    const text = "Invalid 'input[26].id': string too long. Expected a string with maximum length 64"
    expect(isContextOverflow(400, 'string_above_max_length', text)).toBe(false)
  })
})

describe('a reply', () => {
  test.each([
    'Error: maximum context length exceeded',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'Context size has been exceeded.',
    'request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it',
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens.",
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    "Input length (9000) exceeds model's maximum context length (8192).",
    'Prompt tokens (9000) exceed max_model_len 8192',
    'The decoder prompt (length 9000) is longer than the maximum model length of 8192.',
    'The request is too large: context window exceeded',
    'context_length_exceeded',
    'Error: context_length_exceeded',
    'Requested tokens (9000) exceed context window of 2048',
    '{"error":{"message":"This model\'s maximum context length is 4096 tokens","code":"context_length_exceeded"}}',
    "Error code: 400 - {'error': {'message': \"This model's maximum context length is 8192 tokens.\"}}",
    '[ERROR] Input is too long for requested model.',
    '**Error:** maximum context length exceeded',
    "I'm sorry, but the prompt is too long for this model's context window.",
    'Please reduce the length of the messages or completion.',
    '上下文长度超过限制',
    '输入长度超过模型最大上下文',
    '请求的token数超出限制',
    '错误：上下文长度超过限制，请缩短输入后重试。',
    '抱歉，您的输入过长，请精简后再试。',
    '当前对话超出了模型的最大上下文长度（32768）。',
    '输入的 tokens 数量超过最大限制 8192',
    '【错误】400：prompt长度超过模型上限，请减少输入长度',
    '提示词过长',
    '輸入長度超過模型最大上下文',
    'Error: 输入token总数超过上限4096',
  ])('is nothing but a complaint of its length: %s', (text) => {
    expect(isOverflowComplaint(text)).toBe(true)
  })

  test.each([
    `${'error '.repeat(66)}over`,
    'The run failed at first, since the prompt exceeded the context window; a smaller file mended it.',
    'Summary: the agent met "maximum context length exceeded" and cut its input.',
    'Maximum context length was raised to 32k in vllm config.',
    'The prompt is too long error came from a missing truncation. Fixed with tiktoken.',
    'The context length was exceeded, so the agent split the log; the tests pass now.',
    'Context window exceeded in run 1. In run 2 the file was split and it passed.',
    'Input is too long for requested model: that was the bug; raising max_tokens fixed it.',
    '上下文长度超过限制，代理拆分了日志，测试通过。',
    '运行因上下文长度超过限制而停止，之后用较小的文件完成。',
    '输入长度超过模型最大上下文时，应先压缩日志。',
    '请求的token数超出限制是由缺少截断导致的。',
    '输入过长的问题已修复：改用分块上传。',
    '总结：工具报错“上下文长度超过限制”，尚未处理。',
    '请求的token数超出每分钟限制，任务暂停。',
  ])('tells of one: %s', (text) => {
    expect(isOverflowComplaint(text)).toBe(false)
  })
})
