import { coreSnippet, langchainSnippet } from '../../../code/client-code.ts'
import { curlCommand, curlSnippet } from '../../../code/curl.ts'
import { n8nSnippet, svcAudioNode } from '../../../code/n8n-workflow.ts'
import { expressSnippet, nestSnippet } from '../../../code/servers.ts'
import type { Snippet } from '../../../code/snippet.ts'

const CALL = 'curl localhost:3000/voices'

/** Code that lists the voices. */
export function listSnippets(): readonly Snippet[] {
  return [
    coreSnippet({
      file: 'voices.ts',
      code: 'for await (const { id, name } of audio.voices.list()) console.log(id, name)',
    }),
    curlSnippet('voices.sh', `${curlCommand('/v1/audio/voices?limit=150')}\n`),
    expressSnippet({
      adapter: [],
      routes: `app.get('/voices', async (_request, response) => {
  const { data } = await client.voices.list({ limit: 150 })
  response.json(data)
})`,
      call: CALL,
    }),
    nestSnippet({
      adapter: [],
      common: ['Get'],
      routes: `  @Get('voices')
  async list() {
    const { data } = await this.audio.voices.list({ limit: 150 })
    return data
  }`,
      call: CALL,
    }),
    langchain(),
    n8nSnippet('Voices', [svcAudioNode('Voices', { resource: 'voice', operation: 'getAll', returnAll: true })]),
  ]
}

function langchain(): Snippet {
  return langchainSnippet({
    before: `const { data } = await client.voices.list({ limit: 150 })
// The model chooses by name and description.
const voices = data.map(({ id, name }) => ({ name: id, voice_id: id, description: name || id }))
`,
    options: {},
    optionLines: ["  voice_id: data[0]?.id ?? 'rms',", '  voices,'],
    code: 'console.log(await toolkit.listVoices.invoke({}))',
  })
}
