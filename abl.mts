import Database from 'better-sqlite3';
import {mkdtempSync,rmSync} from 'node:fs';import {crc32} from 'node:zlib';import {randomBytes} from 'node:crypto';
import { schema } from './src/ledger/stores/sqlite/schema.ts';
const T=+(process.argv[2]??120),G=64;
const body=Buffer.from(JSON.stringify({id:'x'.repeat(20),name:'y'.repeat(60),location:{city:'Sydney'},industry:'z'.repeat(60),site:'https://example.com/a'})),HEAD='{"content-type":"application/json","date":"Sun, 22 Nov 2026 13:42:03 GMT"}',q='{"parameters":{"abn":"51824753556"}}';
const now=Date.now();
class V{ name;db;dir;next=1;sums=0;n=0;times:number[]=[];a:any[]=[];b:any[]=[];s:any;
 constructor(name:string,change:(db:any)=>void){this.name=name;this.dir=mkdtempSync('/dev/shm/abl-');const db=this.db=new Database(this.dir+'/l.db');
 for(const p of ['journal_mode=WAL','synchronous=OFF','foreign_keys=ON','recursive_triggers=ON'])db.pragma(p);
 db.exec(schema());
 db.exec("INSERT INTO accounts(id,identity) VALUES(1,'x'); INSERT INTO batches(id,ordinal,key,generation,lineage,state,account,account_name,sandbox,vendor,operation,input_path,input_sha256,input_rows,settings,created_at,budget) VALUES(77,0,'k',1,'l','open',1,'a',0,'provider','enrich-company','p','s',1,'{}',0,99999999); INSERT INTO boots(id,boot,seen_at,seen_uptime,sum) VALUES(1,'b',0,0,0)");
 change(db);
 const P=(x:string)=>db.prepare(x);
 this.s={begin:P('BEGIN IMMEDIATE'),commit:P('COMMIT'),find:P('SELECT id,state,stands FROM calls WHERE substr(key,1,4)=substr(+?,1,4) AND key=+?'),
 insCall:P('INSERT INTO calls(id,key,account,operation,question,credits_most,sum) VALUES(?,?,?,?,?,?,?)'),
 insA:P('INSERT INTO attempts(id,kind,call,sees,batch,row,reserved,at,boot,uptime,sum) VALUES(?,?,?,?,?,?,?,?,?,?,?)'),insRe:P('INSERT INTO replies(id,of,call,at,status,sum,headers,body,content_sum) VALUES(?,?,?,?,?,?,?,?,?)'),insEnd:P("INSERT INTO ends(id,of,kind,call,pays,spent,at,said,status,dialect,estimated,sum) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)"),
 insG:P('INSERT INTO groups VALUES(?,?,?,?)'),insR:P('INSERT INTO rows(batch,row,outcome,matched_by,answers,input,sum) VALUES(?,?,?,?,?,?,?)')};}
 cs(c:any[]){const v=crc32(JSON.stringify(c))|0;this.sums+=v;return v;}
 multi(){const s=this.s,R=this.a,E=this.b,db=this.db;s.begin.run();const first=this.next;this.sums=0;
 const ins=(t:string,rows:any[][])=>{if(rows.length===0)return;const n=32;for(let i=0;i<rows.length;i+=n){const part=rows.slice(i,i+n);const k=t+part.length;s[k]??=db.prepare(`INSERT INTO ${t} VALUES ${part.map(r=>'('+r.map(()=>'?').join(',')+')').join(',')}`);s[k].run(...part.flat());}};
 ins('replies(id,of,call,at,status,sum,headers,body,content_sum)',R.map((x:any)=>{const c=[this.next++,x.at,x.call,now,200];return [...c,this.cs(c),HEAD,body,crc32(body)|0];}));
 ins('ends(id,of,kind,call,pays,spent,at,said,status,dialect,estimated,sum)',E.map((x:any)=>{const c=[this.next++,x.at,'answered',x.call,null,1,now,"found",200,123456789012,0];return [...c,this.cs(c)];}));
 ins('rows(batch,row,outcome,matched_by,answers,input,sum)',E.map((x:any)=>[77,x.row,'matched','abn','['+x.at+']',123456789,crc32(`${x.row},1,abn,${x.at}`)|0]));
 const out:any[]=[],calls:any[]=[],att:any[]=[];for(let i=0;i<G;i++){const k=randomBytes(32);s.find.get(k,k);const id=this.next++;const row=this.n++;calls.push([id,k,1,'enrich-company',q,1,crc32(k)|0]);const c=[id,'intent',id,null,77,row+2,1,now,1,12345678];att.push([...c,this.cs(c)]);out.push({call:id,row:row+2,at:id});}
 const m=process.env.CALLS_ONE?1:0; void m;
 ins('calls(id,key,account,operation,question,credits_most,sum)',calls);ins('attempts(id,kind,call,sees,batch,row,reserved,at,boot,uptime,sum)',att);
 if(this.next>first)s.insG.run(this.next-1,first,this.sums,0);s.commit.run();this.b=this.a;this.a=out;}
 txn(){if(this.name.startsWith('multi'))return this.multi();const s=this.s,R=this.a,E=this.b;s.begin.run();const first=this.next;this.sums=0;
 for(const x of R){const id=this.next++;const c=[id,x.at,x.call,now,200];s.insRe.run(...c,this.cs(c),HEAD,body,crc32(body)|0);}
 for(const x of E){const id=this.next++;const c=[id,x.at,'answered',x.call,null,1,now,"found",200,123456789012,0];s.insEnd.run(...c,this.cs(c));s.insR.run(77,x.row,'matched','abn','['+x.at+']',123456789,crc32(`${x.row},1,abn,${x.at}`)|0);}
 const out=[];for(let i=0;i<G;i++){const k=randomBytes(32);s.find.get(k,k);const id=this.next++;const row=this.n++;s.insCall.run(id,k,1,'enrich-company',q,1,crc32(k)|0);const c=[id,'intent',id,null,77,row+2,1,now,1,12345678];s.insA.run(...c,this.cs(c));out.push({call:id,row:row+2,at:id});}
 if(this.next>first)s.insG.run(this.next-1,first,this.sums,0);s.commit.run();this.b=this.a;this.a=out;}
}
const extra:any[]=[];
const all=new Database(':memory:');all.exec(schema());
const names=(all.prepare("SELECT name FROM sqlite_schema WHERE type='trigger'").all() as any[]).map(x=>x.name);
const pick=process.argv[3]?new RegExp(process.argv[3]):/./;
if(process.env.KEEP)for(const k of process.env.KEEP.split(","))extra.push(new V("keep "+k,db=>{for(const n of names)if(!new RegExp("^("+k+")$").test(n))db.exec("DROP TRIGGER "+n);}));
const vs=[new V('base',()=>{}),new V('multi none',db=>{for(const n of names)db.exec('DROP TRIGGER '+n);}),new V('multi base',db=>db.exec('DROP TRIGGER calls_beginning')),new V('none',db=>{for(const n of names)db.exec('DROP TRIGGER '+n);}),...(process.argv[4]?process.argv[4].split('|||').map((x,i)=>new V('X'+i,db=>db.exec(x))):[]),...extra,...names.filter(n=>pick.test(n)).map(n=>new V(n,db=>db.exec('DROP TRIGGER '+n)))];
for(let t=0;t<T+5;t++)for(const v of vs){const t0=process.hrtime.bigint();try{v.txn();}catch(e){v.name+='!';v.s.begin;try{v.db.exec('ROLLBACK')}catch{};v.txn=()=>{};console.log(v.name,(e as any).message);}if(t>=5)v.times.push(Number(process.hrtime.bigint()-t0)/1000/G);}
const q20=(a:number[])=>a.sort((x,y)=>x-y)[Math.floor(a.length*0.2)]!;
const base=q20(vs[0]!.times);
for(const [n,t] of vs.map(v=>[v.name,q20(v.times)] as const).sort((x,y)=>x[1]-y[1]))console.log(t.toFixed(1),(base-t).toFixed(1),n);
for(const v of vs){v.db.close();rmSync(v.dir,{recursive:true});}
