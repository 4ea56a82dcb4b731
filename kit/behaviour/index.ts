export {
  type BehaviourApp,
  type BehaviourRow,
  type BehaviourService,
  startBehaviourService,
  termsOf,
  WEBHOOK_SECRET,
} from './app.ts'
export {
  type CompiledApp,
  handlerMisuses,
  handlerMistakes,
  uploadMistakes,
  type HandlerNames,
  type Misuse,
  uncalled,
  wrongMessages,
} from './misuses.ts'
export { BEHAVIOUR_ROWS, GUARD_ROW, ROWS_WITHOUT_SOCKET } from './rows.ts'
export { UPLOAD_ROWS, type UploadRow } from './upload-rows.ts'
export {
  type Bridge,
  type ExpressApp,
  type InjectableApp,
  injecting,
  invoking,
  type Sender,
  startBridge,
  type WholeRequest,
  type WholeResponse,
  WITHOUT_SOCKET,
} from './without-socket.ts'
