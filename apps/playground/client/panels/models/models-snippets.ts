import type { Snippet } from '../../code/snippet.ts'

/** Code that lists the models. */
export function modelsSnippets(): readonly Snippet[] {
  return [
    {
      kind: 'core',
      title: 'TypeScript',
      file: 'models.ts',
      install: 'npm install @svc-audio/core',
      run: 'node models.ts',
      code: `import { AudioClient } from '@svc-audio/core'

const audio = new AudioClient()
const { data } = await audio.models.list()
for (const { id, owned_by } of data) console.log(id, owned_by)
await audio.close()
`,
    },
    {
      kind: 'curl',
      title: 'curl',
      file: 'models.sh',
      run: 'sh models.sh',
      code: `curl --fail-with-body "$SVC_AUDIO_BASE_URL/v1/models" \\
  --header "Authorization: Bearer $SVC_AUDIO_API_KEY"
`,
    },
  ]
}
