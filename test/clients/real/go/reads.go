package main

import (
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	gct "github.com/thrasher-corp/gocryptotrader/encoding/json"
)

// read is a line of the file BOURSE_READS (../reads.ts). A field counts as read if a type of the wrapper has it.
type read struct {
	At    string `json:"at"`
	By    string `json:"by"`
	Line  int    `json:"line"`
	Field string `json:"field"`
	There bool   `json:"there"`
}

// followed notes the route of the last answer.
type followed struct{ route atomic.Value }

func (f *followed) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	f.route.Store(request.Method + " " + request.URL.Path)
	return response, err
}

// trackReads notes from now on what the types of the wrapper have and answers do not.
func trackReads(f *followed) {
	file, err := os.OpenFile(os.Getenv("BOURSE_READS"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	f.route.Store("")
	var noted sync.Map
	note := func(r read) {
		if _, was := noted.LoadOrStore(r, true); !was {
			line, _ := json.Marshal(r)
			file.Write(append(line, '\n'))
		}
	}
	plain := gct.Unmarshal
	gct.Unmarshal = func(data []byte, into any) error {
		err := plain(data, into)
		var answer any
		if json.Unmarshal(data, &answer) == nil {
			at := f.route.Load().(string)
			if frame, ok := answer.(map[string]any); ok {
				for _, name := range []string{"topic", "event"} {
					if value, ok := frame[name].(string); ok {
						at = name + " " + strings.Split(value, ":")[0]
						break
					}
				}
			}
			compare(typeOf(into), answer, "", func(by, field string, there bool) { note(read{at, by, 0, field, there}) })
		}
		return err
	}
}

func typeOf(into any) reflect.Type {
	value := reflect.ValueOf(into)
	for (value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface) && !value.IsNil() {
		value = value.Elem()
	}
	return value.Type()
}

var decoder = reflect.TypeFor[json.Unmarshaler]()

// compare reports each field of the type, and whether the answer has it. Names are compared as Go's decoder does, in any case.
func compare(t reflect.Type, answer any, by string, report func(by, field string, there bool)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Implements(decoder) || reflect.PointerTo(t).Implements(decoder) {
		return
	}
	if t.Name() != "" {
		by = t.Name()
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		rows, _ := answer.([]any)
		for _, row := range rows {
			compare(t.Elem(), row, by, report)
		}
	case reflect.Map:
		members, _ := answer.(map[string]any)
		for _, member := range members {
			compare(t.Elem(), member, by, report)
		}
	case reflect.Struct:
		members, ok := answer.(map[string]any)
		if !ok {
			return
		}
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			member, there := find(members, name)
			report(by, name, there)
			compare(t.Field(i).Type, member, by, report)
		}
	}
}

func find(members map[string]any, name string) (any, bool) {
	for key, member := range members {
		if strings.EqualFold(key, name) {
			return member, true
		}
	}
	return nil, false
}
