import adapter from '@sveltejs/adapter-static'
import { sveltekit } from '@sveltejs/kit/vite'
import { narration } from '@svc-audio/vite-plugin'
import { defineConfig } from 'vite'

// Of the tests. Without them: a build with the cache of the project.
const { NARRATION_MODE: mode, NARRATION_CACHE: cacheDir } = process.env

export default defineConfig({
  plugins: [
    narration({ voice_id: 'rms', mode, cacheDir }),
    sveltekit({ adapter: adapter(), paths: { base: '/docs' } }),
  ],
})
