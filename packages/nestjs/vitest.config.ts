import { defineProject } from 'vitest/config'

// The package's tsconfig.json says the same for src; test is outside of it.
export default defineProject({ oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } } })
