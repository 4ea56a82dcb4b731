import { commonJs } from '@svc-audio/kit/build'
import { defineConfig } from 'rolldown'

const entries = {
  index: 'dist/index.js',
  'swagger/index': 'dist/swagger/index.js',
  'terminus/index': 'dist/terminus/index.js',
  'testing/index': 'dist/testing/index.js',
}

export default defineConfig(commonJs({ entries }))
