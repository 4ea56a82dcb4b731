import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type CleanProject, freePort, start, untilListening } from '@svc-audio/kit/hosts'
import { createTestUpstream, uploadForm, wavFile } from '@svc-audio/testing'
import { expect } from 'vitest'
import { APP_FILES } from './cli-app.ts'

/**
 * Makes an app with the CLI of a project and adds {@link APP_FILES}. The app is inside the project and uses its
 * node_modules: one install is enough.
 * @param options.extensions Whether relative imports have the extension `.js`, as in ES modules. @default false
 * @returns its folder
 */
export async function newApp(
  project: CleanProject,
  { extensions = false }: { readonly extensions?: boolean } = {},
): Promise<string> {
  const made = await project.run('nest', ['new', 'app', '--skip-git', '--skip-install', '--package-manager', 'npm'])
  if (made.exitCode !== 0) throw new Error(made.stdout + made.stderr)
  const app = join(project.folder, 'app')
  for (const [path, content] of Object.entries(APP_FILES)) {
    await mkdir(dirname(join(app, path)), { recursive: true })
    await writeFile(join(app, path), extensions ? content.replaceAll(/(from '\.\/[^']+)'/g, "$1.js'") : content)
  }
  return app
}

/** Starts the built app and expects a transcript of an upload, speech, and no warning in its output. */
export async function expectResponses(app: string, node: string): Promise<void> {
  await using upstream = await createTestUpstream({ apiKey: 'key', transcript: 'hello' })
  const port = await freePort()
  const env = { PORT: String(port), SVC_AUDIO_API_KEY: 'key', SVC_AUDIO_BASE_URL: upstream.url }
  const ready = /application successfully started/
  await using running = await start(node, ['dist/main'], { cwd: app, env, node, ready })
  await untilListening(port)
  const url = `http://127.0.0.1:${port}`
  const response = await fetch(`${url}/transcribe`, { method: 'POST', body: uploadForm(wavFile(1000)) })
  expect(await response.json()).toEqual({ text: 'hello' })
  expect((await fetch(`${url}/speak`)).status).toBe(200)
  expect(running.output()).not.toContain('Warning')
}
