import { globSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
// #region shown
import { narration } from '@svc-audio/vite-plugin'
import { build } from 'vite'
// #endregion
import type { IntegrationContext, IntegrationOutcome } from './round-trip.ts'

/** Builds a small page, then transcribes the audio asset of the build to prove its content. */
export async function run(context: IntegrationContext): Promise<IntegrationOutcome> {
  const { text, voice_id, client, baseUrl, folder, signal } = context
  const root = join(folder, 'site')
  await mkdir(root)
  await writeFile(join(root, 'index.html'), '<script type="module" src="./main.js"></script>')
  await writeFile(join(root, 'story.txt'), text)
  const quiet = { configFile: false, envDir: false, logLevel: 'silent' } as const
  // #region shown
  const main = `import { src } from './story.txt?narrate'; new Audio(src).play()`
  await writeFile(join(root, 'main.js'), main)

  const plugin = narration({ client, baseUrl, voice_id, response_format: 'wav' })
  await build({ ...quiet, root, plugins: [plugin] })
  // #endregion
  signal.throwIfAborted()
  const [name] = globSync('dist/**/*.wav', { cwd: root })
  if (name === undefined) throw new Error('The build emitted no audio')
  const bytes = await readFile(join(root, name))
  const file = { data: bytes, name: 'story.wav', type: 'audio/wav' }
  const { text: transcript } = await client.transcriptions.create({ model: 'svc-transcribe-1.0', file }, { signal })
  const steps = globSync('dist/**/*.*', { cwd: root }).map((path) => `Built ${path}`)
  return { audio: { bytes, type: 'audio/wav' }, transcript, steps }
}
