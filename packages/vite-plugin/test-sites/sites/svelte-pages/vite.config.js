import adapter from '@sveltejs/adapter-static'
import { sveltekit } from '@sveltejs/kit/vite'
import { narration } from '@svc-audio/vite-plugin'
import { mdsvex } from 'mdsvex'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [
    narration({ voice_id: 'rms', pages: 'src/routes/**/+page.md' }),
    sveltekit({
      adapter: adapter(),
      extensions: ['.svelte', '.md'],
      preprocess: [mdsvex({ extensions: ['.md'] })],
      paths: { base: '/docs' },
    }),
  ],
})
