import adapter from '@sveltejs/adapter-static'
import { sveltekit } from '@sveltejs/kit/vite'
import { narration } from '@svc-audio/vite-plugin'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [narration({ voice_id: 'rms' }), sveltekit({ adapter: adapter(), paths: { base: '/docs' } })],
})
