import { narration } from '@svc-audio/vite-plugin'
import { defineConfig } from 'astro/config'

// Of the tests. Without them: a build with the cache of the project.
const { NARRATION_MODE: mode, NARRATION_CACHE: cacheDir } = process.env

export default defineConfig({
  base: '/docs',
  devToolbar: { enabled: false },
  vite: { plugins: [narration({ voice_id: 'rms', mode, cacheDir })] },
})
