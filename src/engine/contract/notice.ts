/** A message for the operator, and its urgency: `warn` should be checked, `error` needs action. */
export type NoticeLevel = 'info' | 'warn' | 'error';

/** Called with each notice. The default level is `info`. Must not throw. */
export type OnNotice = (text: string, level?: NoticeLevel) => void;
