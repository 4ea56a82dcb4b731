import { coreSnippet, langchainSnippet } from '../../../code/client-code.ts'
import { curlJson, curlSnippet } from '../../../code/curl.ts'
import { fieldLines, inline, literal } from '../../../code/literal.ts'
import { byId, n8nSnippet, n8nText, svcAudioNode } from '../../../code/n8n-workflow.ts'
import { callJson, expressSnippet, nestSnippet } from '../../../code/servers.ts'
import type { Snippet } from '../../../code/snippet.ts'
import type { VoicesDraft } from '../draft.ts'
import { nameOf } from './record.ts'

const MODEL = 'svc-voice-generator-1.0'
const OUTPUT = 'designed.wav'

/** Code that speaks in a voice described in words. */
export function designSnippets(draft: VoicesDraft): readonly Snippet[] {
  return [core, curl, express, nestjs, langchain, n8n].map((make) => make(draft))
}

function bodyOf({ instruction, designText: input }: VoicesDraft): object {
  return { model: MODEL, input, instruction, response_format: 'wav' }
}

function core(draft: VoicesDraft): Snippet {
  return coreSnippet({
    file: 'voices.ts',
    code: `const speech = await audio.voiceGenerations.create({
${fieldLines(bodyOf(draft))}
})
await speech.saveTo('${OUTPUT}')

// The audio makes a voice that can be used again.
const voice = await audio.voices.create({ audio_sample: '${OUTPUT}', name: ${literal(nameOf(draft))} })
console.log(voice.id)`,
  })
}

function curl(draft: VoicesDraft): Snippet {
  return curlSnippet('voices.sh', curlJson('/v1/audio/voice/generations', bodyOf(draft), [`--output ${OUTPUT}`]))
}

function express(draft: VoicesDraft): Snippet {
  return expressSnippet({
    adapter: ['answerAudio'],
    routes: `const design = answerAudio({
  call: ({ body: { instruction, text } }, options) =>
    client.voiceGenerations.create(
      { model: '${MODEL}', instruction, input: text, response_format: 'wav' },
      options,
    ),
})
app.post('/design', express.json(), design)`,
    call: callOf(draft),
  })
}

function nestjs(draft: VoicesDraft): Snippet {
  return nestSnippet({
    adapter: ['speechFile'],
    common: ['Body', 'Post'],
    before: `const voice = { model: '${MODEL}', response_format: 'wav' }\n\n`,
    routes: `  @Post('design')
  design(@Body('instruction') instruction: string, @Body('text') input: string) {
    return speechFile(() => this.audio.voiceGenerations.create({ ...voice, instruction, input }))
  }`,
    call: callOf(draft),
  })
}

function langchain({ instruction, designText: text }: VoicesDraft): Snippet {
  return langchainSnippet({
    options: { voice_id: 'rms', tools: ['speak', 'design_voice'] },
    code: `console.log(await toolkit.designVoice.invoke(${inline({ instruction, text })}))`,
  })
}

function n8n(draft: VoicesDraft): Snippet {
  const generate = {
    resource: 'voice',
    operation: 'generate',
    text: n8nText(draft.designText),
    instruction: n8nText(draft.instruction),
    model: byId(MODEL),
    responseFormat: 'wav',
    output: 'file',
    binaryPropertyName: 'data',
  }
  const create = { resource: 'voice', operation: 'create', binaryPropertyName: 'data', name: n8nText(nameOf(draft)) }
  return n8nSnippet('Design voice', [svcAudioNode('Design', generate), svcAudioNode('Create voice', create)])
}

function callOf({ instruction, designText: text }: VoicesDraft): string {
  return callJson('design', { instruction, text }, OUTPUT)
}
