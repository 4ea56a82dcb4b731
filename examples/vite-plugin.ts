// A site whose text is also there to listen to: its audio is made when the site is built.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AudioClient } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import { type Narration, narration } from '@svc-audio/vite-plugin'
import { build } from 'vite'
import type { ExampleContext, ExampleOutcome } from './run.ts'

const NEWS =
  '# Morning news\n\nThe **train** to the coast leaves from [platform](/map) four. The weather is fine and warm.\n'

// A page imports a text with `?narrate`, and gets the address of its audio, the length, and what is said.
const PAGE = `
import news from './news.md?narrate'
const seconds = Math.round(news.durationSeconds)
const html = '<audio controls src="' + news.src + '"></audio> ' + seconds + ' seconds'
export { html, news }`

/** Builds the site, and listens to its audio. */
export async function run({ baseUrl, apiKey, folder: root }: ExampleContext): Promise<ExampleOutcome> {
  await writeFile(join(root, 'news.md'), NEWS)
  await writeFile(join(root, 'page.js'), PAGE)

  // In a site of your own this is vite.config.ts; key and address may stand in .env.local instead.
  await build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [narration({ apiKey, baseUrl, voice_id: 'rms', response_format: 'wav' })],
    build: { ssr: 'page.js', emitAssets: true, rolldownOptions: { output: { entryFileNames: 'page.mjs' } } },
  })

  // What a generator of static sites does next: the page is rendered, and the audio is a hashed asset beside it.
  const page: { html: string; news: Narration } = await import(pathToFileURL(join(root, 'dist/page.mjs')).href)
  const { src, text, durationSeconds = 0 } = page.news
  const file = { data: await readFile(join(root, 'dist', src)), name: 'news.wav' }

  const audio = new AudioClient({ apiKey, baseUrl })
  const { text: transcript } = await audio.transcriptions.create({ model: 'svc-transcribe-1.0', file })
  await audio.close()
  return {
    audioSeconds: durationSeconds,
    transcript,
    wordErrorRate: wordErrorRate(text, transcript),
    summary: `the page is ${page.html}`,
  }
}
