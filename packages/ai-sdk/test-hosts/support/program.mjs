// Speaks, transcribes, streams and runs an agent, with the installed version of the AI SDK. Runs in a user's project.
import assert from 'node:assert/strict'
import { createSpeechTools, memoryAudioStore } from '@svc-audio/ai-sdk/tools'
import { AudioClient } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
// @boundaries-ignore the clean project has it
import * as ai from 'ai'
// @boundaries-ignore the clean project has it
import * as mocks from 'ai/test'

const [major, entry, apiKey, baseUrl] = process.argv.slice(2)
const { createSvcAudio } = await import(entry)
const { createProviderRegistry, experimental_generateSpeech, experimental_transcribe, generateText } = ai
const generateSpeech = ai.generateSpeech ?? experimental_generateSpeech
const transcribe = ai.transcribe ?? experimental_transcribe
globalThis.AI_SDK_LOG_WARNINGS = false

const TEXT = 'The train to the coast leaves at seven in the morning.'
const DIARIZING = 'svc-transcribe-diarize-pro'
const svcAudio = createSvcAudio({ apiKey, baseUrl, voice: 'rms' })
const registry = createProviderRegistry({ svc: svcAudio })
const close = (heard, worst = 0.15) => assert.ok(wordErrorRate(TEXT, heard) <= worst, heard)

const speech = await generateSpeech({
  model: registry.speechModel('svc:svc-tts-1.5-flash'),
  text: TEXT,
  outputFormat: 'wav',
  instructions: 'calm',
})
assert.equal(speech.audio.mediaType, 'audio/wav')
const [warning] = speech.warnings
assert.equal(warning.feature ?? warning.setting, 'instructions')
assert.equal(warning.type, major === '5' ? 'unsupported-setting' : 'unsupported')
console.log('ok speech')

const { text, segments, durationInSeconds, providerMetadata } = await transcribe({
  model: registry.transcriptionModel(`svc:${DIARIZING}`),
  audio: speech.audio.uint8Array,
  providerOptions: { svcAudio: { keyterms: ['coast'] } },
})
close(text)
assert.ok(durationInSeconds > 1 && segments.length > 0)
if (major !== '5') assert.equal(providerMetadata.svcAudio.segments[0].speaker, 'S01')
console.log('ok transcription')

const refused = generateSpeech({ model: svcAudio.speech('svc-tts-1.0-pro'), text: TEXT, voice: 'nobody' })
await assert.rejects(refused, (error) => {
  assert.ok(ai.APICallError.isInstance(error))
  assert.deepEqual([error.statusCode, error.data.code, error.isRetryable], [404, 'voice_not_found', false])
  return true
})
const wrong = generateSpeech({ model: svcAudio.speech('svc-tts-1.5-flash'), text: TEXT, speed: 9 })
await assert.rejects(wrong, (error) => ai.InvalidArgumentError?.isInstance(error) ?? error.argument === 'speed')
assert.throws(() => registry.languageModel('svc:any'), { name: 'AI_NoSuchModelError' })
console.log('ok errors')

// Versions 5, 6 and 7.0.0 have no streams.
if (ai.experimental_streamSpeech !== undefined) {
  const spoken = ai.experimental_streamSpeech({ model: svcAudio.speech('svc-tts-1.5-flash'), text: TEXT })
  const chunks = []
  let rate
  for await (const part of spoken.fullStream) {
    if (part.type !== 'audio') continue
    rate = part.audioFormat.rate
    chunks.push(part.audio)
  }
  const heard = ai.experimental_streamTranscribe({
    model: svcAudio.transcription(DIARIZING),
    audio: ReadableStream.from(chunks),
    inputAudioFormat: { type: 'audio/pcm', rate },
  })
  close(await heard.text)
  console.log('ok streams')
}

const client = new AudioClient({ apiKey, baseUrl })
const tools = createSpeechTools({ client, voice_id: 'rms', store: memoryAudioStore() })
const prompts = []
const call = (toolName, input) => ({
  content: [{ type: 'tool-call', toolCallId: toolName, toolName, input: JSON.stringify(input) }],
  finishReason: major === '5' ? 'tool-calls' : { unified: 'tool-calls', raw: undefined },
})
const done = {
  content: [{ type: 'text', text: 'Done.' }],
  finishReason: major === '5' ? 'stop' : { unified: 'stop', raw: undefined },
}
const usage =
  major === '5'
    ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    : { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const resultOf = (prompt) => prompt.at(-1).content.at(-1).output.value
const MockModel = Reflect.get(mocks, `MockLanguageModelV${Number(major) - 3}`)
const model = new MockModel({
  doGenerate: async ({ prompt }) => {
    prompts.push(prompt)
    const audio = prompts.length === 2 ? /Reference: (\S+)/.exec(resultOf(prompt))[1] : ''
    const steps = [call('speak', { text: TEXT }), call('transcribe', { audio }), done]
    return { ...steps[prompts.length - 1], usage, warnings: [] }
  },
})
const stopWhen = (ai.isStepCount ?? ai.stepCountIs)(5)
await generateText({ model, tools, prompt: 'Go.', stopWhen })
// Without the lines around the transcript.
close(resultOf(prompts.at(-1)).split('\n').slice(1, -1).join(' '), 0.4)
await client.close()
console.log('ok tools')
