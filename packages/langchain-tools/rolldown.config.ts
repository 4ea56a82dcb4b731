import { commonJs } from '@svc-audio/kit/build'
import { defineConfig } from 'rolldown'

const parts = ['loaders', 'middleware', 'voice'].map((part) => [`${part}/index`, `dist/${part}/index.js`])

export default defineConfig(commonJs({ entries: { index: 'dist/index.js', ...Object.fromEntries(parts) } }))
