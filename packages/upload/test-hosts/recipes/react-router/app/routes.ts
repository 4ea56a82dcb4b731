import { route } from '@react-router/dev/routes'

export default [route('transcribe', './transcribe.ts')]
