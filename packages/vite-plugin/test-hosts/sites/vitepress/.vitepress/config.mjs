import { narration } from '@svc-audio/vite-plugin'
import { defineConfig } from 'vitepress'

// Of the tests. Without them: a build with the cache of the project.
const { NARRATION_MODE: mode, NARRATION_CACHE: cacheDir } = process.env

export default defineConfig({
  base: '/docs/',
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === 'narration-player' } } },
  vite: { plugins: [narration({ voice_id: 'rms', mode, cacheDir })] },
})
