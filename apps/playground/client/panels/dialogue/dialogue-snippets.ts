import { coreSnippet, langchainSnippet } from '../../code/client-code.ts'
import { curlJson, curlSnippet } from '../../code/curl.ts'
import { fieldLines } from '../../code/literal.ts'
import { dialogueParameters, n8nSnippet, svcAudioNode } from '../../code/n8n-workflow.ts'
import { callJson, expressSnippet, nestSnippet } from '../../code/servers.ts'
import type { Snippet } from '../../code/snippet.ts'
import { dialogueBody, type Script } from './script.ts'

type Body = ReturnType<typeof dialogueBody>

/** Code that makes the dialogue on the screen. The Vite plugin reads texts in one voice, so it has none. */
export function dialogueSnippets(script: Script): readonly Snippet[] {
  const body = dialogueBody(script)
  return [core, curl, express, nestjs, langchain, n8n].map((make) => make(body))
}

function core(body: Body): Snippet {
  return coreSnippet({
    file: 'dialogue.ts',
    code: `const dialogue = await audio.dialogue.create({
${fieldLines(body)}
})
await dialogue.saveTo('${fileOf(body)}')`,
  })
}

function curl(body: Body): Snippet {
  return curlSnippet('dialogue.sh', curlJson('/v1/audio/speech/speakers', body, [`--output ${fileOf(body)}`]))
}

function express(body: Body): Snippet {
  return expressSnippet({
    adapter: ['answerAudio'],
    routes: `${settingsOf(body)}
const speaking = answerAudio({
  call: (request, options) =>
    client.dialogue.create({ ...dialogue, segments: request.body.segments }, options),
})
app.post('/dialogue', express.json(), speaking)`,
    call: callOf(body),
  })
}

function nestjs(body: Body): Snippet {
  return nestSnippet({
    adapter: ['speechFile'],
    common: ['Body', 'Post'],
    types: ['DialogueSegment'],
    before: `${settingsOf(body)}\n\n`,
    routes: `  @Post('dialogue')
  speak(@Body('segments') segments: DialogueSegment[]) {
    return speechFile(() => this.audio.dialogue.create({ ...dialogue, segments }))
  }`,
    call: callOf(body),
  })
}

function langchain({ speakers, segments }: Body): Snippet {
  const voices = speakers.map(({ id, voice_id }) => ({ name: id, voice_id }))
  const lines = segments.map(({ speaker, text }) => ({ voice: speaker, text }))
  return langchainSnippet({
    // The voice of the tool that speaks one text.
    options: { voice_id: speakers[0]?.voice_id ?? 'rms', voices },
    code: `const spoken = await toolkit.speakDialogue.invoke({
${fieldLines({ lines })}
})
console.log(spoken)`,
  })
}

function n8n({ speakers, segments, response_format }: Body): Snippet {
  const parameters = {
    ...dialogueParameters(speakers, segments),
    operation: 'create',
    responseFormat: response_format,
    output: 'file',
    binaryPropertyName: 'data',
    options: {},
  }
  return n8nSnippet('Dialogue', [svcAudioNode('Dialogue', parameters)])
}

/** The server chooses voices and model, its callers choose the lines. */
function settingsOf({ segments: _lines, ...settings }: Body): string {
  return `const dialogue = {\n${fieldLines(settings)}\n}`
}

function callOf(body: Body): string {
  return callJson('dialogue', { segments: body.segments }, fileOf(body))
}

function fileOf({ response_format }: Body): string {
  return `dialogue.${response_format}`
}
