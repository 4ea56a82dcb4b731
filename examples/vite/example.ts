// A narrated blog of three posts, and its podcast feed. The build makes the audio.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AudioClient } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import { type ListedNarration, narration } from '@svc-audio/vite-plugin'
import { build, type InlineConfig } from 'vite'
import type { ExampleContext, ExampleOutcome } from '../run.ts'

/** Builds the blog and its feed, and transcribes a post. */
export async function run({ baseUrl, apiKey, folder }: ExampleContext): Promise<ExampleOutcome> {
  const outDir = join(folder, 'dist')
  // In your blog, this is vite.config.ts. Put key and address into .env.local.
  const config: InlineConfig = {
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'silent',
    plugins: [
      narration({
        apiKey,
        baseUrl,
        voice_id: 'rms',
        // Podcast players expect MP3.
        response_format: 'mp3',
        include: 'posts/*.md',
        cacheDir: join(folder, 'cache'),
      }),
    ],
  }
  await build({ ...config, build: { outDir } })
  // The server build renders the feed. It finds all audio in the cache.
  const server = {
    ssr: 'feed.js',
    outDir: join(folder, 'server'),
    rolldownOptions: { output: { entryFileNames: '[name].mjs' } },
  }
  await build({ ...config, build: server })

  const feed: { feed: string; posts: readonly ListedNarration[]; texts: Readonly<Record<string, string>> } =
    await import(pathToFileURL(join(folder, 'server/feed.mjs')).href)
  const [post] = feed.posts
  if (post === undefined || feed.feed.match(/<enclosure /g)?.length !== 3) throw new Error('The feed lacks a post')
  const file = { data: await readFile(join(outDir, post.src)), name: 'post.mp3' }

  const audio = new AudioClient({ apiKey, baseUrl })
  const { text: transcript } = await audio.transcriptions.create({ model: 'svc-transcribe-1.0', file })
  await audio.close()
  return {
    audioSeconds: post.durationSeconds ?? 0,
    transcript,
    wordErrorRate: wordErrorRate(feed.texts[`./${post.file}`] ?? '', transcript),
    summary: `the feed has ${feed.posts.length} posts`,
  }
}
