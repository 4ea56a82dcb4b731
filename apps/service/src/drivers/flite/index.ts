export { createFliteEngine, FLITE } from './flite-engine.ts'
