import {
  coreSnippet,
  curlCommand,
  curlSnippet,
  langchainSnippet,
  PATH_ARGUMENT,
  pathField,
  type Snippet,
} from '../../code/snippet.ts'
import { n8nSnippet, readFileNode, svcAudioNode } from '../../code/n8n-workflow.ts'
import { expressSnippet, NEST_STORE, nestSnippet } from '../../code/servers.ts'

const FILE = 'recording.wav'
const UPLOAD = `curl --form file=@${FILE} localhost:3000/files`

/** Code that stores a file, transcribes it by its id, and deletes it. */
export function filesSnippets(): readonly Snippet[] {
  const upload = curlCommand('/v1/files', ['--form purpose=audio', pathField('file')])
  const transcription = {
    resource: 'transcription',
    source: 'fileId',
    fileId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
    options: { deleteFile: true },
  }
  return [
    coreSnippet({
      file: 'files.mts',
      args: FILE,
      before: PATH_ARGUMENT,
      code: `const { id, bytes } = await audio.files.create({ file: path, purpose: 'audio' })
console.log(\`Stored \${bytes} bytes as \${id}\`)

const { text } = await audio.transcriptions.create({ model: 'svc-transcribe-1.0', file_id: id })
console.log(text)

await audio.files.delete(id)`,
    }),
    curlSnippet('files.sh', `${upload}\n`, FILE),
    ...servers(),
    langchainSnippet({
      store: 'serviceAudioStore(client)',
      options: { voice_id: 'rms', tools: ['transcribe', 'read_transcript'] },
      code: `// The reference is the id of the stored file.
const audio = await toolkit.storeAudio('${FILE}', 'audio/wav')
console.log(await toolkit.transcribe.invoke({ audio }))
await client.files.delete(audio)`,
    }),
    n8nSnippet('Files', [
      readFileNode(FILE),
      svcAudioNode('Store', { resource: 'file', operation: 'upload', binaryPropertyName: 'data', purpose: 'audio' }),
      svcAudioNode('Transcribe', transcription),
    ]),
  ]
}

function servers(): readonly Snippet[] {
  return [
    expressSnippet({
      routes: `const store = forwardUpload({
  call: ({ file, options }) => client.files.create({ file, purpose: 'audio' }, options),
})
app.post('/files', store)
app.post('/files/:id/transcript', async ({ params }, response) => {
  const { id } = params
  response.json(await client.transcriptions.create({ model: 'svc-transcribe-1.0', file_id: id }))
})
app.delete('/files/:id', async ({ params }, response) => {
  response.json(await client.files.delete(params.id))
})`,
      call: UPLOAD,
    }),
    nestSnippet({
      before: NEST_STORE,
      routes: `  @Post('files')
  @UseInterceptors(Store)
  store(@UploadResult() file: StoredFile) {
    return file
  }

  @Post('files/:id/transcript')
  transcribe(@Param('id') id: string) {
    return this.audio.transcriptions.create({ model: 'svc-transcribe-1.0', file_id: id })
  }

  @Delete('files/:id')
  remove(@Param('id') id: string) {
    return this.audio.files.delete(id)
  }`,
      call: UPLOAD,
    }),
  ]
}
