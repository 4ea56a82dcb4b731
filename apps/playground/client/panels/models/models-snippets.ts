import { listCode } from '../../code/audio-code.ts'
import type { Snippet } from '../../code/snippet.ts'

/** Code that lists the models. The other packages have no list: n8n's nodes show the models in their forms. */
export function modelsSnippets(): readonly Snippet[] {
  return listCode(
    'models',
    {},
    `const { data } = await audio.models.list()
for (const { id, owned_by } of data) console.log(id, owned_by)`,
  )
}
