import { coreSnippet } from '../../code/client-code.ts'
import { curlCommand, curlSnippet } from '../../code/curl.ts'
import { expressSnippet, nestSnippet } from '../../code/servers.ts'
import type { Snippet } from '../../code/snippet.ts'

/** Code that lists the models. The other packages have no list: n8n's nodes show the models in their forms. */
export function modelsSnippets(): readonly Snippet[] {
  return [
    coreSnippet({
      file: 'models.ts',
      code: `const { data } = await audio.models.list()
for (const { id, owned_by } of data) console.log(id, owned_by)`,
    }),
    curlSnippet('models.sh', `${curlCommand('/v1/models')}\n`),
    expressSnippet({
      adapter: [],
      routes: `app.get('/models', async (_request, response) => {
  const { data } = await client.models.list()
  response.json(data)
})`,
      call: 'curl localhost:3000/models',
    }),
    nestSnippet({
      adapter: [],
      common: ['Get'],
      routes: `  @Get('models')
  async list() {
    const { data } = await this.audio.models.list()
    return data
  }`,
      call: 'curl localhost:3000/models',
    }),
  ]
}
