import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { createAgent } from 'langchain'
import { expect, test } from 'vitest'
import { toolsOf } from './support/calls.ts'
import { temporaryFolder } from './support/folder.ts'
import { startUpstream, WAV } from './support/upstream.ts'

/** What a stranger's text may talk a model into. */
const HOSTILE = [
  'https://localhost/a.wav',
  'https://LOCALHOST./a.wav',
  'https://127.0.0.1/a.wav',
  'https://127.1/a.wav',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://[::1]/a.wav',
  'https://[::ffff:127.0.0.1]/a.wav',
  'https://[::ffff:7f00:1]/',
  'https://0.0.0.0/',
  'https://10.0.0.1/a.wav',
  'https://172.16.0.1/a.wav',
  'https://192.168.1.1/a.wav',
  'https://169.254.169.254/latest/meta-data',
  'https://[fe80::1]/',
  'https://[fd00::1]/',
  'https:\\\\127.0.0.1\\a.wav',
  'https://me:pass@example.com/a.wav',
  'http://example.com/a.wav',
  'file:///etc/passwd',
  'ftp://example.com/a.wav',
  'data:audio/wav;base64,UklGRg==',
  '../secret.wav',
  'calls/../../secret.wav',
  '/etc/passwd',
  '.env',
  'link.wav',
  'dangling.wav',
  'folder-link/secret.wav',
  '~/.ssh/id_rsa',
  'x'.repeat(10_000_000),
]

test('every hostile source is refused with an instruction, and nothing is sent', async () => {
  const { client, requests } = await startUpstream()
  const folder = await temporaryFolder()
  const allowedRoot = join(folder, 'shared')
  await mkdir(join(allowedRoot, 'calls'), { recursive: true })
  await writeFile(join(folder, 'secret.wav'), WAV)
  await writeFile(join(allowedRoot, '.env'), 'API_KEY=secret')
  await symlink(join(folder, 'secret.wav'), join(allowedRoot, 'link.wav'))
  await symlink(join(folder, 'nothing.wav'), join(allowedRoot, 'dangling.wav'))
  await symlink(folder, join(allowedRoot, 'folder-link'))
  const { tools } = toolsOf({ client, allowedRoot })
  const calls = HOSTILE.flatMap((audio) => [
    { name: 'transcribe', args: { audio } },
    { name: 'start_transcription', args: { audio } },
  ])
  const model = fakeModel()
    .respond(new AIMessage({ content: '', tool_calls: calls.map((call, index) => ({ ...call, id: `${index}` })) }))
    .respond(new AIMessage('I could not.'))
  const { messages } = await createAgent({ model, tools }).invoke({ messages: ['Go.'] })
  const answers = messages.filter((message) => ToolMessage.isInstance(message))
  expect(answers).toHaveLength(calls.length)
  for (const { status, text } of answers) {
    expect(status).toBe('error')
    expect(text).toMatch(/^[^\n]{20,200}\.$/)
    expect(text).not.toContain(folder)
  }
  expect(requests).toEqual([])
})
