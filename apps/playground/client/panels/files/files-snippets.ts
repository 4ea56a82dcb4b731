import type { Snippet } from '../../code/snippet.ts'

/** Code that stores a file, transcribes it by its id, and deletes it. */
export function filesSnippets(): readonly Snippet[] {
  return [
    {
      kind: 'core',
      title: 'TypeScript',
      file: 'files.ts',
      install: 'npm install @svc-audio/core',
      run: 'node files.ts recording.wav',
      code: `import { AudioClient } from '@svc-audio/core'

const [, , path = 'recording.wav'] = process.argv
const audio = new AudioClient()
const { id, bytes } = await audio.files.create({ file: path, purpose: 'audio' })
console.log(\`Stored \${bytes} bytes as \${id}\`)

const { text } = await audio.transcriptions.create({ model: 'svc-transcribe-1.0', file_id: id })
console.log(text)

await audio.files.delete(id)
await audio.close()
`,
    },
    {
      kind: 'curl',
      title: 'curl',
      file: 'files.sh',
      run: 'sh files.sh recording.wav',
      code: `curl --fail-with-body "$SVC_AUDIO_BASE_URL/v1/files" \\
  --header "Authorization: Bearer $SVC_AUDIO_API_KEY" \\
  --form purpose=audio \\
  --form "file=@\\"\${1:-recording.wav}\\""
`,
    },
  ]
}
